//! What is left of TypeScript.

use super::erase::erase;

/// The JavaScript of `source`, with runs of blanks folded.
fn erased(source: &str) -> String {
    let text = erase(source).unwrap_or_else(|error| panic!("{source}: {error}"));
    assert_eq!(text.len(), source.len(), "columns stay");
    assert_eq!(text.matches('\n').count(), source.matches('\n').count(), "lines stay");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn annotations_go() {
    assert_eq!(erased("const a: number = 1;"), "const a = 1;");
    assert_eq!(erased("let a!: string, b;"), "let a , b;");
    assert_eq!(
        erased("function f<T>(a?: T, ...b: T[]): T { return a! }"),
        "function f (a , ...b ) { return a }"
    );
    assert_eq!(erased("try {} catch (e: unknown) {}"), "try {} catch (e ) {}");
    assert_eq!(erased("const f = <T,>(a: T): T => a;"), "const f = (a ) => a;");
    assert_eq!(erased("function f(this: Window, a: number) {}"), "function f( a ) {}");
}

#[test]
fn an_arrow_stays_on_the_line_of_its_parenthesis() {
    assert_eq!(erased("const f = (a): {\n  x: 1;\n} => a;"), "const f = (a ) => a;");
    let text = erase("const f = (a): {\n  x: 1;\n} => a;").expect("it is erasable");
    assert!(text.lines().last().is_some_and(|line| line.starts_with(") =>")), "{text}");
}

#[test]
fn expressions_lose_their_types_alone() {
    assert_eq!(erased("f<A>(x as B, y satisfies C, <D>z, w!.v![0]!)"), "f (x , y , z, w .v [0] )");
    assert_eq!(erased("const a = b as { c: string }['c'];"), "const a = b ;");
    assert_eq!(erased("new Map<string, number>()"), "new Map ()");
    assert_eq!(erased("a < b && c > d"), "a < b && c > d");
}

#[test]
fn type_statements_go() {
    assert_eq!(erased("type A = 1; let a;"), "; let a;");
    assert_eq!(erased("let a = b\ninterface C {}\n(d)()"), "let a = b ; (d)()");
    assert_eq!(
        erased("export interface A {} export type B = 1; export const c = 1"),
        "; ; export const c = 1"
    );
    assert_eq!(
        erased("declare const a: 1; declare function b(): void; declare module 'x' {}"),
        "; ; ;"
    );
    assert_eq!(erased("function f(a: 1): 1; function f(a: any) {}"), "; function f(a ) {}");
    assert_eq!(erased("export default interface A {}"), ";");
    assert_eq!(erased("declare enum A { B } declare namespace C { const d: 1 }"), "; ;");
}

#[test]
fn modules_keep_values_and_point_to_javascript() {
    assert_eq!(erased("import type { A } from './a.ts';"), ";");
    assert_eq!(
        erased("import { type A, b, type C } from './a.ts';"),
        "import { b, } from './a.js';"
    );
    assert_eq!(erased("import { type A } from './a.ts';"), "import { } from './a.js';");
    assert_eq!(
        erased("export { type A, b } from '../a.mts'; export * from \"./c.ts\";"),
        "export { b } from '../a.mjs'; export * from \"./c.js\";"
    );
    assert_eq!(erased("export type { A } from './a.ts'; export type * from './b.ts'"), "; ;");
    assert_eq!(
        erased("import a from 'pkg/x.ts'; await import('./d.ts');"),
        "import a from 'pkg/x.ts'; await import('./d.js');"
    );
}

#[test]
fn classes_lose_modifiers_and_what_is_abstract() {
    assert_eq!(
        erased("abstract class A<T> extends B<T> implements C, D<T> { }"),
        "class A extends B { }"
    );
    assert_eq!(erased("class A implements B {}"), "class A {}");
    assert_eq!(
        erased(
            "class A { private static readonly b?: number = 1; #c!: 2; [k: string]: any; declare d: 1 }"
        ),
        "class A { static b = 1; #c ; ; ; }"
    );
    assert_eq!(
        erased("class A { public override async f?(a: 1): Promise<void> {} }"),
        "class A { async f (a ) {} }"
    );
    assert_eq!(
        erased("abstract class A { abstract f(): void; g(): 1; g() {} abstract h: 1 }"),
        "class A { ; ; g() {} ; }"
    );
    assert_eq!(
        erased("class A { /* private */ protected get x(): 1 { return 1 } readonly = 1 }"),
        "class A { /* private */ get x() { return 1 } readonly = 1 }"
    );
    assert_eq!(erased("class A { readonly(): void {} }"), "class A { readonly() {} }");
}

#[test]
fn what_needs_code_is_refused_with_its_line() {
    for (source, line) in [
        ("\nenum A { B }", 2),
        ("\n\nnamespace A { export const b = 1 }", 3),
        ("class A { constructor(private b: 1) {} }", 1),
        ("import a = require('a');", 1),
        ("export = 1;", 1),
        ("let a = ;", 1),
        ("\nlet = (", 2),
    ] {
        assert_eq!(erase(source).map_err(|error| error.line), Err(line), "{source}");
    }
}

#[test]
fn the_sdk_and_the_bundled_skill_are_erasable() {
    let skill = concat!(env!("CARGO_MANIFEST_DIR"), "/../browser-skills/hackernews-frontpage");
    for file in ["script.ts", "parser.ts", "script.test.ts", "_lib/browse.ts"] {
        let source = std::fs::read_to_string(format!("{skill}/{file}")).expect(file);
        erase(&source).expect(file);
    }
}
