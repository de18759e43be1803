//! A loaded model: windows in, scores out.

use std::{path::Path, thread};

use browse_guard::onnx_classifier::{ModelDescription, ModelFileError, ModelFolder, file_name};
use ort::{
    environment::Environment,
    ep::CPU,
    session::{Session, SessionInputValue, builder::GraphOptimizationLevel},
    value::{Tensor, TensorElementType, ValueType},
};
use tokenizers::{
    Encoding, PostProcessor as _, Tokenizer, TruncationDirection, tokenizer::TokenizerImpl,
};

/// Windows of one run. More take as long for each, and more memory together.
const MAX_BATCH_WINDOWS: usize = 2;

/// Tokens that two neighbouring windows share, as a part of a window.
const OVERLAP_DIVISOR: usize = 4;

/// Threads of a run: half the cores, for the machine is the agent's.
const MAX_THREADS: usize = 4;

/// A model with its tokenizer.
pub struct OnnxModel {
    description: ModelDescription,
    tokenizer: Tokenizer,
    session: Session,
    inputs: Vec<ModelInput>,
    output_name: String,
    /// Tokens of a window.
    window_tokens: usize,
    /// Windows of one run, which is 1 where the model takes no more.
    batch_windows: usize,
    runtime_version: String,
    // Dropped last.
    _environment: Environment,
}

/// What a model is given, by the names that its exports use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ModelInput {
    TokenIds,
    AttentionMask,
    TokenTypes,
}

impl ModelInput {
    fn from_name(name: &str) -> Option<Self> {
        match name {
            "input_ids" => Some(Self::TokenIds),
            "attention_mask" => Some(Self::AttentionMask),
            "token_type_ids" => Some(Self::TokenTypes),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::TokenIds => "input_ids",
            Self::AttentionMask => "attention_mask",
            Self::TokenTypes => "token_type_ids",
        }
    }

    fn values(self, window: &Encoding) -> &[u32] {
        match self {
            Self::TokenIds => window.get_ids(),
            Self::AttentionMask => window.get_attention_mask(),
            Self::TokenTypes => window.get_type_ids(),
        }
    }
}

impl OnnxModel {
    /// Loads what `found` names, with the runtime in the file `runtime`, and
    /// tries it.
    ///
    /// # Errors
    /// The file that cannot be used, and why.
    pub fn load(found: &ModelFolder, runtime: &Path) -> Result<Self, ModelFileError> {
        let (tokenizer, window) = load_tokenizer(found)?;
        let of_runtime = |error: String| ModelFileError::new(file_name(runtime), error);
        let environment = ort::init_from(runtime)
            .map_err(|error| of_runtime(error.to_string()))?
            .build()
            .map_err(|error| of_runtime(error.to_string()))?;
        let of_model = |why: String| ModelFileError::new(file_name(&found.model), why);
        let session = open_session(&environment, &found.model)
            .map_err(|error| of_model(error.to_string()))?;
        let inputs = model_inputs(&session).map_err(of_model)?;
        let names: Vec<&str> = session.outputs().iter().map(|output| output.name()).collect();
        let output = names.iter().find(|name| **name == "logits").or(names.first());
        let output = output.ok_or_else(|| of_model("it gives nothing".to_owned()))?.to_string();
        let description = found.description.clone();
        let runtime = ort::info().to_owned();
        let mut model = Self {
            description,
            tokenizer,
            session,
            inputs,
            output_name: output,
            window_tokens: window,
            batch_windows: MAX_BATCH_WINDOWS,
            runtime_version: runtime,
            _environment: environment,
        };
        model.warm_up().map_err(of_model)?;
        Ok(model)
    }

    /// Tokens of a window.
    pub fn window_tokens(&self) -> usize {
        self.window_tokens
    }

    /// The build of the runtime.
    pub fn runtime_version(&self) -> &str {
        &self.runtime_version
    }

    /// The windows of `text`, which overlap.
    ///
    /// # Errors
    /// The tokenizer fails.
    pub fn windows(&self, text: &str) -> Result<Vec<Encoding>, String> {
        let mut first = self.tokenizer.encode(text, false).map_err(|error| error.to_string())?;
        let room = self.window_tokens - self.special_tokens();
        first.truncate(room, room / OVERLAP_DIVISOR, TruncationDirection::Right);
        let rest = first.take_overflowing();
        let whole = |window| self.tokenizer.post_process(window, None, true);
        let windows: Result<Vec<_>, _> = [first].into_iter().chain(rest).map(whole).collect();
        windows.map_err(|error| error.to_string())
    }

    /// Windows of one run.
    pub fn batch_windows(&self) -> usize {
        self.batch_windows
    }

    /// The scores of `windows`, at most [`Model::batch`] of one length.
    ///
    /// # Errors
    /// The model does not run, or gives what is not a number.
    pub fn scores(&mut self, windows: &[Encoding]) -> Result<Vec<f32>, String> {
        let rows = self.run(windows)?;
        let score = |row: &Vec<f32>| {
            self.description.score(row).ok_or_else(|| "its output is not a number".to_owned())
        };
        rows.iter().map(score).collect()
    }

    fn run(&mut self, windows: &[Encoding]) -> Result<Vec<Vec<f32>>, String> {
        let width = windows.first().map_or(0, Encoding::len);
        let mut values: Vec<(&str, SessionInputValue<'_>)> = Vec::new();
        for input in &self.inputs {
            let rows = windows.iter().flat_map(|window| input.values(window));
            let numbers: Vec<i64> = rows.map(|number| i64::from(*number)).collect();
            let tensor = Tensor::from_array(([windows.len(), width], numbers));
            values.push((input.name(), tensor.map_err(|error| error.to_string())?.into()));
        }
        let outputs = self.session.run(values).map_err(|error| error.to_string())?;
        let output = outputs.get(&self.output_name).ok_or("it gives no such output")?;
        let (shape, numbers) =
            output.try_extract_tensor::<f32>().map_err(|error| error.to_string())?;
        let shape: &[i64] = shape;
        match (shape, numbers.len()) {
            ([rows] | [rows, _], count)
                if *rows as usize == windows.len() && count >= windows.len() => {}
            _ => return Err(format!("it gives {shape:?} for {} texts", windows.len())),
        }
        Ok(numbers.chunks(numbers.len() / windows.len()).map(<[f32]>::to_vec).collect())
    }

    /// Tries the model: whether it gives as many numbers as it has labels, and
    /// whether it takes several texts at once.
    fn warm_up(&mut self) -> Result<(), String> {
        let window = self.windows("Is this text fine?")?;
        let [window] = &window[..] else { return Err("a sentence is too long for it".to_owned()) };
        let rows = self.run(std::slice::from_ref(window))?;
        let width = rows.first().map_or(0, Vec::len);
        if let Some(wanted) = self.description.output_width().filter(|wanted| *wanted != width) {
            return Err(format!("it gives {width} numbers, and `config.json` has {wanted} labels"));
        }
        self.scores(std::slice::from_ref(window))?;
        if self.run(&vec![window.clone(); 2]).is_err() {
            self.batch_windows = 1;
        }
        Ok(())
    }

    /// Tokens that every window begins and ends with.
    fn special_tokens(&self) -> usize {
        self.tokenizer.get_post_processor().map_or(0, |processor| processor.added_tokens(false))
    }
}

fn open_session(environment: &Environment, model: &Path) -> ort::Result<Session> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let builder = Session::builder(environment)?
        .with_optimization_level(GraphOptimizationLevel::All)?
        .with_intra_threads((cores / 2).clamp(1, MAX_THREADS))?
        .with_intra_op_spinning(false)?
        .with_memory_pattern(false)?
        // An arena keeps the most that was ever needed.
        .with_execution_providers([CPU::default().with_arena_allocator(false).build()])?;
    let mut builder = builder;
    builder.commit_from_file(model)
}

/// What the model wants, in its order.
fn model_inputs(session: &Session) -> Result<Vec<ModelInput>, String> {
    let inputs = session.inputs().iter().map(|input| {
        let name = input.name();
        let known = ModelInput::from_name(name).ok_or_else(|| {
            format!("it wants `{name}`, and no classifier of text has such an input")
        })?;
        match input.dtype() {
            ValueType::Tensor { ty: TensorElementType::Int64, .. } => Ok(known),
            other => Err(format!("its input `{name}` is {other}, not 64-bit numbers")),
        }
    });
    let inputs: Vec<ModelInput> = inputs.collect::<Result<_, _>>()?;
    match inputs.contains(&ModelInput::TokenIds) {
        true => Ok(inputs),
        false => Err("it has no input `input_ids`".to_owned()),
    }
}

/// The tokenizer, and the tokens of a window.
fn load_tokenizer(found: &ModelFolder) -> Result<(Tokenizer, usize), ModelFileError> {
    let problem = |why: String| ModelFileError::new(file_name(&found.tokenizer), why);
    let mut tokenizer =
        Tokenizer::from_file(&found.tokenizer).map_err(|error| problem(error.to_string()))?;
    let trained = tokenizer.get_truncation().map(|truncation| truncation.max_length);
    let window = trained.unwrap_or(usize::MAX).min(found.description.window_tokens);
    let inner: &mut TokenizerImpl<_, _, _, _, _> = &mut tokenizer;
    inner.with_truncation(None).map_err(|error| problem(error.to_string()))?;
    inner.with_padding(None);
    // What a text calls `[SEP]` is text.
    inner.set_encode_special_tokens(true);
    let added = inner.get_post_processor().map_or(0, |processor| processor.added_tokens(false));
    if window < added + 8 {
        return Err(problem(format!("it takes {window} tokens, which is too few")));
    }
    Ok((tokenizer, window))
}
