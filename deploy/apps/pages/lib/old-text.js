// What every editor holds at first: two paragraphs, one with markup, so that
// replacing a part shows.

export const oldHtml = "<p>Old <strong>first</strong> paragraph</p><p>Old second paragraph</p>";
export const oldText = "Old first paragraph\nOld second paragraph";
