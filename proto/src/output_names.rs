//! The tables of the rule for output paths: names that programs run or obey, and
//! what extensions and first bytes say of a file. Lists are separated by `|`, and
//! a name may have one `*`.

/// Folders, anywhere in a path, that hold secrets or what programs run.
pub const CLOSED: &str = ".ssh|.aws|.gnupg|.kube|.azure|.gcloud|.docker|.git|.password-store";

/// Folders whose files programs run or obey.
pub const FOLDERS: &str = "__pycache__|autostart|cron.d|cron.daily|cron.hourly|cron.monthly|cron.weekly|crontabs|dist-packages|init.d|keychains|keyrings|launchagents|launchdaemons|node_modules|profile.d|site-packages|sudoers.d";

/// Files that programs run or obey, or that hold secrets.
pub const NAMES: &str = "*.config.cjs|*.config.cts|*.config.js|*.config.json|*.config.mjs|*.config.mts|*.config.ts|*.csproj|*.desktop|*.egg-link|*.env|*.gemspec|*.ps1xml|*.psd1|*.pth|*.sln|*.vcxproj|*_profile.ps1|__init__.py*|__main__.py*|_exrc|_netrc|_vimrc|aclocal.m4|action.y*ml|agent.md|agents.md|agents.override.md|android.bp|angular.json|ansible.cfg|app.y*ml|application_default_credentials.json|appveyor.yml|auth.json|authorized_keys*|autoexec.bat|autorun.inf|azure-pipelines*.yml|babel.config.*|behave.ini|biome.json*|bitbucket-pipelines.yml|brewfile*|bsdmakefile|buck|build|build.bazel|build.gradle*|build.ninja|build.rs|build.sbt|build.xml|build.zig*|buildspec.y*ml|bun.lock*|bunfig.toml|cabal.project*|cargo.lock|cargo.toml|cartfile|claude*.md|claude_desktop_config.json|client_secret*|cloudbuild.y*ml|cmakelists.txt|cmakepresets.json|cmakeuserpresets.json|codemeta.json|compose.y*ml|composer.json|composer.lock|config.nims|config.ru|configure|configure.ac|conftest.py|containerfile*|conventions.md|cookies|cookies.sqlite|copilot-instructions.md|credentials|credentials.csv|credentials.db|credentials.json|credentials.toml|credentials.xml|credentials.y*ml|crontab|crush.json|dangerfile|default.nix|deno.json*|deno.lock|desktop.ini|devbox.json|devcontainer.json|devenv.nix|directory.build.props|docker-bake.*|docker-compose*.yaml|docker-compose*.yml|dockerfile*|dodo.py|dub.json|dune|dune-project|earthfile|env|ethers.config.*|fabfile.py|fastfile|flake.lock|flake.nix|fly.toml|gatsby-node.js|gemfile*|gemini.md|gnumakefile|go.mod|go.sum|go.work*|gradle.properties|gradlew*|gruntfile.*|guardfile|gulpfile.*|gunicorn.conf.py|hatch.toml|httpd.conf|id_dsa*|id_ecdsa*|id_ed25519*|id_rsa*|init.lua|init.vim|ipython_config.py|jakefile*|jenkinsfile*|jsconfig*.json|jupyter_*.py|justfile|karma.conf.*|key3.db|key4.db|known_hosts*|kubeconfig|kustomization.y*ml|launch.json|lefthook.toml|lefthook.y*ml|lerna.json|local.properties|login data|logins.json|magefile.go|main.tf|makefile*|manage.py|mcp.json|meson.build|meson_options.txt|metro.config.*|mise.local.toml|mise.toml|mix.exs|mix.lock|mkdocs.yml|module.bazel*|mvnw*|mypy.ini|netlify.toml|nightwatch.conf.js|nodemon.json|noxfile.py|npm-shrinkwrap.json|nx.json|opencode.json|package-lock.json|package.json|package.swift|package.y*ml|packages.config|pdm.lock|phpunit.xml*|pipfile*|pixi.toml|playbook.yml|pnpm-lock.yaml|pnpm-workspace.yaml|podfile*|poetry.lock|poetry.toml|pom.xml|procfile*|profile.ps1|project.clj|project.json|pylintrc|pylock*.toml|pyproject.toml|pytest.ini|pyvenv.cfg|qwen.md|rakefile|rebar.config|requirements*.txt|rprofile.site|rust-toolchain*|sconscript|sconstruct|secrets.json|secrets.toml|secrets.y*ml|serverless.y*ml|service-account*|service_account*|settings.gradle*|setup.cfg|setup.py|shell.nix|sitecustomize.*|skaffold.y*ml|skill.md|snakefile|snapcraft.yaml|stack.y*ml|sudoers|taskfile*.yaml|taskfile*.yml|tasks.json|tasks.py|thorfile|tiltfile|token.json|tox.ini|toxfile.py|tsconfig*.json|turbo.json|usercustomize.*|uv.lock|uv.toml|vagrantfile|values.auto.tfvars|vercel.json|wallet.dat|warp.md|web data|web.config|workspace|workspace.bazel|wrangler.*|wscript|yarn.lock";

/// Folders of the system.
pub const SYSTEM: &str = "/bin|/boot|/cores|/dev|/etc|/lib|/lib32|/lib64|/libexec|/libx32|/private/etc|/private/var/at|/private/var/db|/proc|/run|/sbin|/sys|/usr|/var/lib/apt|/var/lib/cloud|/var/lib/dpkg|/var/lib/systemd|/var/spool/anacron|/var/spool/at|/var/spool/cron";

/// Folders of macOS.
pub const SYSTEM_OF_MACOS: &str = "/applications|/library|/system";

/// Folders of the system in which a working directory may lie.
pub const OPEN: &str = "/dev/shm|/run/media|/run/user|/usr";

/// Those of them in which any file may lie.
pub const SHARED: &str = "/run/media|/run/user";

/// Folders of `/usr` and `/usr/local` that hold programs.
pub const PROGRAMS: &str = "bin|etc|games|include|lib|lib32|lib64|libexec|libx32|sbin";

/// Folders of the home folder that are, or become, part of the search path.
pub const HOME_PROGRAMS: &str = "bin|.local/bin|.cargo/bin|go/bin";

/// Extensions of text that is data.
pub const DATA: &str = "adoc|asc|atom|bib|csv|dtd|eml|geojson|gpx|har|htm|html|ics|jsonl|json|kml|ldjson|log|markdown|mbox|md|mht|mhtml|ndjson|opml|org|po|rss|rst|rtf|srt|svg|tex|text|tsv|txt|vcf|vtt|webmanifest|xhtml|xml|xsd|yaml|yml";

/// Extensions of source code, settings and programs: a file that has one is not
/// replaced.
pub const CODE: &str = "a|app|asp|aspx|awk|bash|bat|c|cc|cfg|cjs|class|clj|cmd|com|command|conf|cpp|cs|csh|css|cts|cxx|dart|dll|dylib|el|elf|erl|ex|exe|exs|fish|go|groovy|h|hcl|hpp|hs|ini|ipynb|java|jl|js|jsp|jsx|kt|kts|ksh|less|lua|m|mak|mjs|mk|ml|mm|msi|mts|nix|node|nu|o|php|pl|plist|pm|properties|ps1|py|pyc|pyi|pyw|r|rb|rs|rules|sass|scala|scpt|scss|service|sh|so|socket|sql|svelte|swift|target|tcl|tf|timer|toml|ts|tsx|vb|vbs|vim|vue|wasm|zig|zsh";

/// Extensions that interpreters and tools load from the folder that they are started
/// in: `import json` takes `json.py`. A page gives no file such a name.
pub const LOADED: &str = "cjs|cts|js|jsx|lua|mjs|mts|nims|php|pl|pm|pth|py|pyi|rb|tf|tfvars|ts|tsx";

/// What a first extension says of the first bytes: extension and kind.
pub const EXPECTED: &str = "png PNG|apng PNG|jpg JPEG|jpeg JPEG|jpe JPEG|jfif JPEG|webp WebP|gif GIF|pdf PDF|webm WebM|zip ZIP|docx ZIP|xlsx ZIP|pptx ZIP|epub ZIP|odt ZIP|ods ZIP";

/// Pictures, which servers send under each other's names.
pub const PICTURES: &str = "PNG|JPEG|WebP|GIF";

/// Kinds that are programs.
pub const EXECUTABLE: &str = "ELF|Mach-O|MZ|class";

/// First bytes in hexadecimal, `.` for any, and the kind that they say.
pub const FIRST_BYTES: &str = "89504e470d0a1a0a PNG|ffd8ff JPEG|474946383761 GIF|474946383961 GIF|52494646........57454250 WebP|255044462d PDF|1a45dfa3 WebM|504b0304 ZIP|504b0506 ZIP|1f8b gzip|425a68 bzip2|fd377a585a00 xz|28b52ffd zstd|377abcaf271c 7z|7f454c46 ELF|4d5a MZ|cafebabe class|cffaedfe Mach-O|cefaedfe Mach-O|0061736d wasm|53514c69746520666f726d617420 SQLite";

/// Whether `list` has `word`.
pub fn contains(list: &str, word: &str) -> bool {
    list.split('|').any(|entry| entry == word)
}

/// Whether `list` has `name`, or a pattern that it fits.
pub fn matches_pattern(list: &str, name: &str) -> bool {
    list.split('|').any(|entry| match entry.split_once('*') {
        None => entry == name,
        Some((begin, end)) => {
            name.len() >= begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end)
        }
    })
}
