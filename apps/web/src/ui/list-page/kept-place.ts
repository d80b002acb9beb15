/** Where somebody was in a list: the cursors that led to his page, and how far he had scrolled. */
export interface KeptPlace {
  /** What the list was asked for; another question has other cursors. */
  asked: string
  cursors: string[]
  top: number
}

const NAME = 'list.places'
/** So many lists are remembered; a tab of the browser is rarely gone back further. */
const KEPT = 30

/** By entry of the history, the oldest first; they go with the tab of the browser. */
function places(): [string, KeptPlace][] {
  try {
    const stored = JSON.parse(window.sessionStorage.getItem(NAME) ?? '[]')
    return Array.isArray(stored) ? stored : []
  } catch {
    return []
  }
}

/** The place that was kept for an entry of the history. */
export function keptPlace(entry: string): KeptPlace | null {
  return places().find(([name]) => name === entry)?.[1] ?? null
}

export function keepPlace(entry: string, part: Partial<KeptPlace>): void {
  const all = places()
  const place = { asked: '', cursors: [], top: 0, ...all.find(([name]) => name === entry)?.[1], ...part }
  const next = [...all.filter(([name]) => name !== entry), [entry, place]].slice(-KEPT)
  try {
    window.sessionStorage.setItem(NAME, JSON.stringify(next))
  } catch {
    // A full or forbidden storage costs comfort, not function.
  }
}
