//! Finds what is only type.

use oxc_ast::ast::{
    AccessorProperty, ArrowFunctionExpression, Class, ClassElement, Declaration,
    ExportAllDeclaration, ExportDefaultDeclaration, ExportDefaultDeclarationKind,
    ExportFromDeclaration, ExportNamedDeclaration, Expression, FormalParameter, FunctionType,
    ImportDeclaration, ImportDeclarationSpecifier, ImportExpression, ImportOrExportKind,
    MethodDefinition, PropertyDefinition, Statement, StringLiteral, TSAsExpression,
    TSExportAssignment, TSNonNullExpression, TSSatisfiesExpression, TSThisParameter,
    TSTypeAnnotation, TSTypeAssertion, TSTypeParameterDeclaration, TSTypeParameterInstantiation,
    VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan as _, Span};

use super::{erase::Untranslatable, source_buffer::SourceBuffer};

const MODIFIERS: [&str; 7] =
    ["public", "private", "protected", "readonly", "override", "abstract", "declare"];

/// Blanks types while it walks.
pub struct Eraser {
    text: SourceBuffer,
    refused: Option<Untranslatable>,
}

impl Eraser {
    pub fn new(text: SourceBuffer) -> Self {
        Self { text, refused: None }
    }

    pub fn finish(self) -> Result<Vec<u8>, Untranslatable> {
        self.refused.map_or(Ok(self.text.finish()), Err)
    }

    fn refuse(&mut self, span: Span, what: &str) {
        let line = self.text.line(span.start);
        let problem = format!("{what} needs more than leaving types out");
        self.refused.get_or_insert(Untranslatable { line, problem });
    }

    /// Whether a declaration is gone at run time; refuses those that are
    /// neither type nor JavaScript.
    fn is_type_only(&mut self, declaration: &Declaration<'_>) -> bool {
        let (declared, what) = match declaration {
            Declaration::TSTypeAliasDeclaration(_)
            | Declaration::TSInterfaceDeclaration(_)
            | Declaration::TSGlobalDeclaration(_)
            | Declaration::TSExternalModuleDeclaration(_) => return true,
            Declaration::VariableDeclaration(it) => return it.declare,
            Declaration::ClassDeclaration(it) => return it.declare,
            Declaration::FunctionDeclaration(it) => {
                return it.declare || it.r#type == FunctionType::TSDeclareFunction;
            }
            Declaration::TSEnumDeclaration(it) => (it.declare, "`enum`"),
            Declaration::TSNamespaceDeclaration(it) => (it.declare, "`namespace`"),
            Declaration::TSImportEqualsDeclaration(it) => {
                (it.import_kind == ImportOrExportKind::Type, "`import … =`")
            }
        };
        if !declared {
            self.refuse(declaration.span(), what);
        }
        declared
    }

    /// Turns `./x.ts` into `./x.js` and `./x.mts` into `./x.mjs`.
    fn rewrite_import(&mut self, source: &StringLiteral<'_>) {
        let is_relative = source.value.starts_with("./") || source.value.starts_with("../");
        if is_relative && (source.value.ends_with(".ts") || source.value.ends_with(".mts")) {
            // The quote is the last byte, `ts` the two before it.
            self.text.set_byte(source.span.end - 3, b'j');
        }
    }

    /// Blanks the modifiers before the key of a class member, and the `?` or
    /// `!` behind it.
    fn erase_member_modifiers(&mut self, start: u32, key: Span, end: u32) {
        self.text.blank_words(start, key.start, &MODIFIERS);
        let mark = self.text.code(key.end, end).find(|(_, byte)| *byte != b']');
        if let Some((at, b'?' | b'!')) = mark {
            self.text.blank(at, at + 1);
        }
    }

    /// Blanks a `!` or `?` right before a type annotation or an initializer.
    fn erase_mark(&mut self, start: u32, end: u32) {
        if let Some((at, b'?' | b'!')) = self.text.first_code(start, end) {
            self.text.blank(at, at + 1);
        }
    }
}

impl<'a> Visit<'a> for Eraser {
    // === statements ===

    fn visit_statement(&mut self, it: &Statement<'a>) {
        let gone = match it {
            Statement::ImportDeclaration(it) => it.import_kind == ImportOrExportKind::Type,
            Statement::ExportNamedDeclaration(it) => it.export_kind == ImportOrExportKind::Type,
            Statement::ExportFromDeclaration(it) => it.export_kind == ImportOrExportKind::Type,
            Statement::ExportAllDeclaration(it) => it.export_kind == ImportOrExportKind::Type,
            Statement::ExportDeclaration(it) => self.is_type_only(&it.declaration),
            Statement::TSNamespaceExportDeclaration(_) => true,
            other => {
                other.as_declaration().is_some_and(|declaration| self.is_type_only(declaration))
            }
        };
        if gone {
            self.text.blank_statement(it.span());
        } else {
            walk::walk_statement(self, it);
        }
    }

    fn visit_export_default_declaration(&mut self, it: &ExportDefaultDeclaration<'a>) {
        let gone = match &it.declaration {
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => true,
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => function.body.is_none(),
            _ => false,
        };
        if gone {
            self.text.blank_statement(it.span);
        } else {
            walk::walk_export_default_declaration(self, it);
        }
    }

    fn visit_ts_export_assignment(&mut self, it: &TSExportAssignment<'a>) {
        self.refuse(it.span, "`export =`");
    }

    // === modules ===

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        for specifier in it.specifiers.iter().flatten() {
            if let ImportDeclarationSpecifier::ImportSpecifier(named) = specifier
                && named.import_kind == ImportOrExportKind::Type
            {
                self.text.blank_item(named.span, it.source.span.start);
            }
        }
        self.rewrite_import(&it.source);
    }

    fn visit_export_named_declaration(&mut self, it: &ExportNamedDeclaration<'a>) {
        let types = it.specifiers.iter().filter(|s| s.export_kind == ImportOrExportKind::Type);
        types.for_each(|specifier| self.text.blank_item(specifier.span, it.span.end));
    }

    fn visit_export_from_declaration(&mut self, it: &ExportFromDeclaration<'a>) {
        let types = it.specifiers.iter().filter(|s| s.export_kind == ImportOrExportKind::Type);
        types.for_each(|specifier| self.text.blank_item(specifier.span, it.source.span.start));
        self.rewrite_import(&it.source);
    }

    fn visit_export_all_declaration(&mut self, it: &ExportAllDeclaration<'a>) {
        self.rewrite_import(&it.source);
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        if let Expression::StringLiteral(source) = &it.source {
            self.rewrite_import(source);
        }
        walk::walk_import_expression(self, it);
    }

    // === types ===

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.text.blank_span(it.span);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.text.blank_span(it.span);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.text.blank_span(it.span);
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.visit_expression(&it.expression);
        self.text.blank(it.expression.span().end, it.span.end);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.visit_expression(&it.expression);
        self.text.blank(it.expression.span().end, it.span.end);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.visit_expression(&it.expression);
        self.text.blank(it.span.end - 1, it.span.end);
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        self.text.blank(it.span.start, it.expression.span().start);
        self.visit_expression(&it.expression);
    }

    // === functions and variables ===

    fn visit_ts_this_parameter(&mut self, it: &TSThisParameter<'a>) {
        self.text.blank_item(it.span, self.text.end());
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if it.accessibility.is_some() || it.readonly || it.r#override {
            self.refuse(it.span, "a parameter property");
        }
        if it.optional {
            self.erase_mark(it.pattern.span().end, self.text.end());
        }
        walk::walk_formal_parameter(self, it);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        walk::walk_arrow_function_expression(self, it);
        // `=>` must stand on the line of the `)`, which a type may have left.
        if let Some(annotation) = &it.return_type
            && self.text.has_line_break(annotation.span.start, annotation.span.end)
        {
            self.text.set_byte(it.params.span.end - 1, b' ');
            self.text.set_byte(annotation.span.end - 1, b')');
        }
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite {
            self.erase_mark(it.id.span().end, it.span.end);
        }
        walk::walk_variable_declarator(self, it);
    }

    // === classes ===

    fn visit_class(&mut self, it: &Class<'a>) {
        if it.r#abstract {
            let end = it.id.as_ref().map_or(it.body.span.start, |id| id.span.start);
            self.text.blank_words(it.span.start, end, &["abstract"]);
        }
        if let Some(last) = it.implements.last() {
            let head = it.heritage.as_ref().map(|heritage| {
                let arguments = heritage.type_arguments.as_ref();
                arguments.map_or(heritage.expression.span().end, |arguments| arguments.span.end)
            });
            let parameters = it.type_parameters.as_ref().map(|it| it.span.end);
            let name = it.id.as_ref().map(|id| id.span.end);
            let start = head.or(parameters).or(name);
            let start = start.unwrap_or(it.span.start + "class".len() as u32);
            self.text.blank(start, last.span.end);
        }
        walk::walk_class(self, it);
    }

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        let gone = match it {
            ClassElement::TSIndexSignature(_) => true,
            ClassElement::MethodDefinition(it) => it.value.body.is_none(),
            ClassElement::PropertyDefinition(it) => it.declare || it.r#type.is_abstract(),
            ClassElement::AccessorProperty(it) => it.r#type.is_abstract(),
            ClassElement::StaticBlock(_) => false,
        };
        if gone {
            self.text.blank_statement(it.span());
        } else {
            walk::walk_class_element(self, it);
        }
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        self.erase_member_modifiers(
            it.span.start,
            it.key.span(),
            it.value.params.span.start.max(it.key.span().end),
        );
        walk::walk_method_definition(self, it);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        self.erase_member_modifiers(it.span.start, it.key.span(), it.span.end);
        walk::walk_property_definition(self, it);
    }

    fn visit_accessor_property(&mut self, it: &AccessorProperty<'a>) {
        self.erase_member_modifiers(it.span.start, it.key.span(), it.span.end);
        walk::walk_accessor_property(self, it);
    }
}
