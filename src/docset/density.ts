/**
 * The parsers take quadratic time in the markup of one block: 10,000 marks in one took four seconds, 50,000
 * three quarters of a minute, without a chance to stop. Real pages stay far below (on three
 * projects of 600 pages: at most 600).
 */
const marksInBlock = 10_000;

/** Nested tags are quadratic over the whole page. */
const tagsOnPage = 8_000;

/** True for a page that no person wrote and that would keep the parsers busy for minutes. Linear. */
export function isTooDense(text: string): boolean {
  let marks = 0;
  let tags = 0;
  let blankLine = true;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '\n':
        if (blankLine) marks = 0;
        blankLine = true;
        marks += 1;
        break;
      case '<':
        tags += 1;
        marks += 1;
        blankLine = false;
        break;
      case '*':
      case '_':
      case '~':
      case '[':
      case ']':
      case '!':
      case '`':
      case '|':
      case '{':
      case '&':
      case '\\':
      case '>':
      case '@':
        marks += 1;
        blankLine = false;
        break;
      case ' ':
      case '\t':
      case '\r':
        break;
      default:
        blankLine = false;
    }
    if (marks > marksInBlock || tags > tagsOnPage) return true;
  }
  return false;
}
