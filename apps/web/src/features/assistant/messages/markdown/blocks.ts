const FENCE = /^(\s*)(`{3,}|~{3,})([^`]*)$/
const LIST_ITEM = /^\s{0,3}([-*+]|\d{1,9}[.)])(\s|$)/
const INDENTED = /^(\s{2,}|\t)\S/

/**
 * Markdown in pieces that can be drawn one by one: only the last of them changes while an answer arrives. A list stays
 * whole (its numbers go on), and so does a code block, whatever stands in it.
 */
export function blocksOf(text: string): string[] {
  const blocks: string[] = []
  let lines: string[] = []
  let fence: string | null = null
  let list = false
  let gap = false
  const close = () => {
    if (lines.length > 0) blocks.push(lines.join('\n'))
    lines = []
    list = false
  }
  for (const line of text.split('\n')) {
    if (fence !== null) {
      lines.push(line)
      const mark = line.trim()
      if (mark.startsWith(fence) && mark.replaceAll(fence[0]!, '') === '') fence = null
      continue
    }
    if (line.trim() === '') {
      gap = true
      if (lines.length > 0) lines.push(line)
      continue
    }
    const goesOn = list && (LIST_ITEM.test(line) || INDENTED.test(line))
    if (gap && !goesOn) close()
    gap = false
    if (lines.length === 0) list = LIST_ITEM.test(line)
    const opens = FENCE.exec(line)
    if (opens && (opens[1]!.length < 4 || list)) fence = opens[2]!
    lines.push(line)
  }
  close()
  return blocks.map(block => block.replace(/\s+$/, ''))
}
