/** A line that is nothing yet: the beginning of a list item, a heading, a quotation, a code block, a rule. */
const ONLY_MARKS = /^\s*([-*+]|\d{1,9}[.)]?|#{1,6}|>|[-=_*]{2,}|`{1,2}|~{1,2})\s*$/
const OPEN_FENCE = /^\s*(`{3,}|~{3,})/
const DELIMITER_ROW = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*$/

/**
 * The last piece of an answer that is still arriving, so that it does not look one way now and another way with the
 * next word: marks that are still open are closed, what cannot be told yet is held back.
 */
export function settled(block: string): string {
  const lines = block.split('\n')
  const fences = lines.filter(line => OPEN_FENCE.test(line)).length
  if (fences % 2 === 1) {
    // Inside a code block only the beginning of its end is held back.
    if (lines.length > 1 && /^\s*(`{1,2}|~{1,2})$/.test(lines.at(-1)!)) lines.pop()
    return lines.join('\n')
  }
  if (OPEN_FENCE.test(lines.at(-1)!)) return block
  while (lines.length > 0 && ONLY_MARKS.test(lines.at(-1)!)) lines.pop()
  const table = lines.findIndex(line => line.trimStart().startsWith('|'))
  // A table is one from its second row on.
  if (table >= 0 && !DELIMITER_ROW.test(lines[table + 1] ?? '')) lines.splice(table)
  else if (table >= 0 && lines.length === table + 2 && columns(lines[table]!) !== columns(lines[table + 1]!))
    lines.splice(table)
  const last = lines.pop()
  return last === undefined ? '' : [...lines, closed(last)].join('\n')
}

const columns = (row: string) => row.trim().replace(/^\|/, '').replace(/\|$/, '').split('|').length

interface Open {
  mark: string
  at: number
}

/** One line with its open marks closed and an unfinished link as its words. */
function closed(line: string): string {
  const open: Open[] = []
  const brackets: number[] = []
  let at = 0
  while (at < line.length) {
    const char = line[at]!
    if (char === '\\') {
      if (at === line.length - 1) return closeAll(line.slice(0, at), open)
      at += 2
    } else if (char === '`') {
      const run = /^`+/.exec(line.slice(at))![0]
      const end = line.indexOf(run, at + run.length)
      if (end < 0) return closeAll(line, [...open, { mark: run, at }])
      at = end + run.length
    } else if (char === '[') {
      brackets.push(at)
      at++
    } else if (char === ']' && brackets.length > 0) {
      const start = brackets.pop()!
      const next = line[at + 1]
      const end = next === '(' ? line.indexOf(')', at) : -1
      if (next === undefined || (next === '(' && end < 0)) {
        const before = line[start - 1] === '!' ? start - 1 : start
        return closeAll(line.slice(0, before) + line.slice(start + 1, at), stillOpen(open, before))
      }
      at = end < 0 ? at + 1 : end + 1
    } else if (char === '*' || char === '~') {
      const run = /^(\*+|~+)/.exec(line.slice(at))![0]
      const mark = char === '~' ? '~~' : run.length >= 2 ? '**' : '*'
      if (run.length >= mark.length) {
        const before = open.findIndex(each => each.mark === mark)
        if (before >= 0) open.splice(before)
        else if (!/^\s/.test(line.slice(at + mark.length)) || at + mark.length === line.length) open.push({ mark, at })
      }
      at += mark.length
    } else at++
  }
  const start = brackets[0]
  if (start === undefined) return closeAll(line, open)
  const before = line[start - 1] === '!' ? start - 1 : start
  return closeAll(line.slice(0, before) + line.slice(start + 1), stillOpen(open, before))
}

const stillOpen = (open: readonly Open[], before: number) => open.filter(each => each.at < before)

function closeAll(line: string, open: readonly Open[]): string {
  let text = line
  const rest = [...open]
  // A mark with nothing behind it is not shown at all.
  while (rest.length > 0 && text.slice(rest.at(-1)!.at + rest.at(-1)!.mark.length).trim() === '')
    text = text.slice(0, rest.pop()!.at)
  const ends = rest.reverse().map(each => each.mark)
  return ends.length === 0 ? text : text.trimEnd() + ends.join('')
}
