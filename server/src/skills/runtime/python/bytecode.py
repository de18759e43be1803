import ast
import compileall
import importlib
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
compileall.compile_dir(folder, quiet=2, force=True)
wanted = set()
for file in folder.rglob("*.py"):
    try:
        nodes = list(ast.walk(ast.parse(file.read_bytes())))
    except (SyntaxError, ValueError, OSError):
        continue
    for node in nodes:
        if isinstance(node, ast.Import):
            wanted.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            wanted.add(node.module)
for name in sorted(wanted):
    try:
        importlib.import_module(name)
    except BaseException:
        pass
