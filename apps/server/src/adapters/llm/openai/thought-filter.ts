const OPEN = '<think>'
const CLOSE = '</think>'

/** Takes away the thoughts that some models write before their answer, `<think>…</think>`, however they are cut. */
export interface ThoughtFilter {
  take(text: string): string
  /** What is held back when nothing follows. */
  end(): string
}

export function createThoughtFilter(): ThoughtFilter {
  let state: 'start' | 'thinking' | 'thought' | 'speaking' = 'start'
  let held = ''

  function take(text: string): string {
    if (state === 'speaking') return text
    held += text
    if (state === 'start') {
      const begun = held.trimStart()
      if (begun === '' || (OPEN.startsWith(begun) && begun !== OPEN)) return ''
      if (!begun.startsWith(OPEN)) return speak(held)
      state = 'thinking'
    }
    if (state === 'thinking') {
      const end = held.indexOf(CLOSE)
      if (end < 0) {
        // The tag may come in two pieces.
        held = held.slice(-CLOSE.length)
        return ''
      }
      state = 'thought'
      held = held.slice(end + CLOSE.length)
    }
    const rest = held.trimStart()
    return rest === '' ? '' : speak(rest)
  }

  function speak(text: string): string {
    state = 'speaking'
    held = ''
    return text
  }

  return {
    take,
    end: () => (state === 'start' ? speak(held) : ''),
  }
}
