// Tables in Markdown: those of data as tables, those of layout as what is in them.

/** @returns {string[]} */
const tableOf = (writing, table) => {
  const rows = rowsOf(writing, table);
  const caption = firstTagged(table, 'caption');
  const title = caption && !isLeftOut(writing, caption, styleOf(caption)) ? bold(tidyRun(inlineIn(writing, caption))) : '';
  const grid = isTabular(table, rows) ? gridOf(writing, rows) : [];
  if (grid.length < 1 || grid[0].length < 2) return [title, ...rows.flatMap((row) => layoutRow(writing, row))].filter(Boolean);
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const [head, ...body] = grid;
  return [title, [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')].filter(Boolean);
};

const firstTagged = (element, tag) => {
  for (let child = firstElementChild(element); child; child = nextElementSibling(child)) if (localName(child) === tag) return child;
  return null;
};

/** @returns {Element[][]} The cells of each row that shows. */
const rowsOf = (writing, table) => {
  const rows = [];
  const visit = (parent) => {
    for (let child = firstElementChild(parent); child; child = nextElementSibling(child)) {
      const tag = localName(child);
      if (!['thead', 'tbody', 'tfoot', 'tr'].includes(tag) || isLeftOut(writing, child, styleOf(child))) continue;
      if (tag === 'tr') rows.push(list(child.children).filter((cell) => ['td', 'th'].includes(localName(cell)) && !isLeftOut(writing, cell, styleOf(cell))));
      else visit(child);
    }
  };
  visit(table);
  return rows.filter((row) => row.length > 0);
};

/** Marked up as data, or with a regular shape and nothing but words in it. */
const isTabular = (table, rows) => {
  if (selectFirst(table, 'table') || attribute(table, 'role') === 'presentation') return false;
  if (isDataTable(table)) return true;
  const width = rows.length > 0 ? rows[0].length : 0;
  return rows.length > 1 && width > 1 && rows.every((row) => row.length === width && row.every((cell) => !holdsBlocks(cell) && tidy(textContent(cell)).length < 200));
};

const span = (cell, name) => Math.min(50, Math.max(1, parseInt(attribute(cell, name) || '1', 10) || 1));

/** All rows with the same number of cells; what spans several stands in the first of them. @returns {string[][]} */
const gridOf = (writing, rows) => {
  const grid = rows.map(() => []);
  rows.forEach((row, y) => {
    let x = 0;
    for (const cell of row) {
      while (grid[y][x] !== undefined) x += 1;
      const text = cellText(writing, cell);
      for (let down = 0; down < span(cell, 'rowspan') && y + down < grid.length; down++) {
        for (let across = 0; across < span(cell, 'colspan'); across++) grid[y + down][x + across] = down === 0 && across === 0 ? text : '';
      }
      x += span(cell, 'colspan');
    }
  });
  const width = Math.max(...grid.map((row) => row.length));
  return grid.map((row) => Array.from({ length: width }, (_, index) => row[index] || '')).filter((row) => row.some(Boolean));
};

const cellText = (writing, cell) => blocksIn(writing, cell).join(' ').replace(/\\?\n+/g, ' ').replace(/\|/g, '\\|');

/** A row of short cells is a line; one with more in it is what it holds. */
const layoutRow = (writing, row) => {
  const cells = row.map((cell) => blocksIn(writing, cell));
  if (cells.every((blocks) => blocks.length <= 1 && !/^(?:[#>|\x60-]|\d+\. )/.test(blocks[0] || ''))) return [cells.flat().filter(Boolean).join(' ')];
  return cells.flat();
};
