/** Requests that the page makes by itself must not keep a session alive that nobody sits at. */
let lastTouch = Date.now()

const touched = () => {
  lastTouch = Date.now()
}
if (typeof window !== 'undefined')
  for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'])
    window.addEventListener(event, touched, { passive: true, capture: true })

/** Whole seconds since the person last touched anything, 0 below a quarter of a minute. */
export function idleSeconds(now: number = Date.now()): number {
  const seconds = Math.floor((now - lastTouch) / 1000)
  return seconds < 15 ? 0 : seconds
}
