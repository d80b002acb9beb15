import { create } from 'zustand'

/** A navigation in its phases; each moves the bar by 7 percent. */
export type Phase =
  | 'start'
  | 'match'
  | 'guard-start'
  | 'guard-end'
  | 'chunk-start'
  | 'chunk-end'
  | 'data-start'
  | 'data-end'

export const STEP_PERCENT = 7
export const RESET_MS = 500

/** State of the bar: `value` in percent; not shown while not `active`. */
export const useProgress = create<{ active: boolean; value: number }>(() => ({ active: false, value: 0 }))

let resetting: ReturnType<typeof setTimeout> | null = null

/** One step on. `start` begins a navigation; the other phases count only within one. */
export function phase(name: Phase): void {
  if (name === 'start') {
    if (resetting) clearTimeout(resetting)
    resetting = null
    const { active, value } = useProgress.getState()
    // A redirect starts again within the same navigation: the bar goes on from where it is.
    useProgress.setState({ active: true, value: step(active && value < 100 ? value : 0) })
  } else useProgress.setState(s => (s.active && s.value < 100 ? { active: true, value: step(s.value) } : s))
}

/** 100 is reached only by `finish`. */
function step(value: number): number {
  return Math.min(value + STEP_PERCENT, 14 * STEP_PERCENT)
}

/** The navigation ended, was cancelled or failed: 100 percent, and gone after 500 ms. */
export function finish(): void {
  if (!useProgress.getState().active || resetting) return
  useProgress.setState({ active: true, value: 100 })
  resetting = setTimeout(() => {
    resetting = null
    useProgress.setState({ active: false, value: 0 })
  }, RESET_MS)
}
