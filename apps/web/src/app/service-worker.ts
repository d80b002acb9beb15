/** Registered no later than this, whether the page has come to rest or not. */
const LATEST_MS = 30_000

/**
 * Registers the service worker (kept by its own file, `sw.js`) once the page is loaded and idle, or after 30 s. Not in
 * development, and not where the browser has none (http on an address other than localhost): the console works the
 * same, it is only not there without a network.
 */
export function scheduleServiceWorker(production = import.meta.env.PROD): void {
  if (!production || !('serviceWorker' in navigator)) return
  let done = false
  const register = () => {
    if (done) return
    done = true
    clearTimeout(latest)
    navigator.serviceWorker.register('/sw.js', { scope: '/' }).catch(() => undefined)
  }
  const latest = setTimeout(register, LATEST_MS)
  const whenIdle = () => {
    if ('requestIdleCallback' in window) window.requestIdleCallback(register, { timeout: LATEST_MS })
    else setTimeout(register, 2000)
  }
  if (document.readyState === 'complete') whenIdle()
  else window.addEventListener('load', whenIdle, { once: true })
}
