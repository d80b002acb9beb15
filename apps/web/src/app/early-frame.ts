import { useLayoutEffect } from 'react'

/** Takes away the frame that `build/early.js` drew, in the same moment as the real one is there. */
export function useEarlyFrameEnd(): void {
  useLayoutEffect(() => document.getElementById('tw-early')?.remove(), [])
}
