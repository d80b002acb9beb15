/** Drawers and dialogs of the component library, as they stand at the end of the document. */
const OVERLAY = '.ant-drawer, .ant-modal-wrap'
/** What hangs on a button and gives the focus back to it. */
const POPUP = '[data-popup]'
const BODY = '.ant-drawer-body, .ant-modal-body, .ant-modal-confirm-body'
/** What text is typed into. A date field opens its calendar with the focus, and is left to the person. */
const FIELD = [
  'input:not([type=hidden]):not([disabled]):not([readonly])',
  'textarea:not([disabled]):not([readonly])',
  'select:not([disabled])',
  '[contenteditable=true]',
].join(', ')
const CLOSE = '.ant-drawer-close, .ant-modal-close'
const REMEMBERED = 20
/** After something appeared it is looked at in each frame for so long, then every tenth of a second while it is open. */
const LIVELY_MS = 600
const LOOK_EVERY_MS = 100
/** A form that is still being read may bring its fields this late. */
const FIELDS_WITHIN_MS = 3_000

const isSeen = (element: Element) => element.isConnected && element.getClientRects().length > 0

interface Station {
  element: HTMLElement
  /** It stood in a drawer, a dialog or a popup. */
  inOverlay: boolean
}

/**
 * Keeps the focus where the person is while drawers and dialogs come and go. One that opens gets it in its first field,
 * so that what is typed at once is not lost; when one is closed, or taken away by the page that opened it, it goes back
 * to where it was before. One watch for the whole document, because pages take their dialogs away without closing them.
 * @returns how to end it
 */
export function keepOverlayFocus(document: Document): () => void {
  const window = document.defaultView!
  /** Where the focus was, the newest last. */
  let stations: Station[] = []
  /** Open ones, with the time (ms) until which the first field is waited for; 0 once that is settled. */
  const open = new Map<Element, number>()
  let livelyUntil = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let frame = 0
  let ended = false

  const note = (event: Event) => {
    const element = event.target as HTMLElement
    if (element === document.body) return
    const inOverlay = element.closest(`${OVERLAY}, ${POPUP}`) !== null
    // Past the last field a browser goes to the first of the page for a moment, from where the drawer fetches it back.
    if (!inOverlay && [...open.keys()].some(isSeen)) return
    // The way through a long form must not push out the button that opened it.
    const before = stations.filter(each => each.element !== element)
    const kept = (inside: boolean) => before.filter(each => each.inOverlay === inside).slice(-REMEMBERED)
    const places = new Set([...kept(false), ...kept(true)])
    stations = [...before.filter(each => places.has(each)), { element, inOverlay }]
    if (element.closest(OVERLAY)) wake()
  }

  /** Somebody who has begun to move in it chooses the field himself. */
  const begun = (event: Event) => {
    if (event.type === 'keydown' && (event as KeyboardEvent).key !== 'Tab') return
    const overlay = (event.target as Element).closest?.(OVERLAY)
    if (overlay) open.set(overlay, 0)
  }

  function look(): void {
    const now = window.performance.now()
    const overlays = [...document.querySelectorAll(OVERLAY)].filter(isSeen)
    for (const overlay of open.keys()) if (!overlays.includes(overlay)) open.delete(overlay)
    for (const overlay of overlays) if (!open.has(overlay)) open.set(overlay, now + FIELDS_WITHIN_MS)
    giveBack(overlays)
    const top = overlays.at(-1)
    if (top) enter(top, now)
  }

  /** The first field of an overlay gets the focus, unless something else in it was meant to have it. */
  function enter(overlay: Element, now: number): void {
    const until = open.get(overlay)!
    if (until === 0) return
    if (now > until) return void open.set(overlay, 0)
    const active = document.activeElement
    const chosen = active && overlay.contains(active) && active !== overlay && !active.matches(CLOSE)
    if (chosen && active.matches(`${FIELD}, button, a, [role=button]`)) return void open.set(overlay, 0)
    const field = [...overlay.querySelectorAll<HTMLElement>(BODY)]
      .flatMap(body => [...body.querySelectorAll<HTMLElement>(FIELD)])
      .find(each => isSeen(each) && !each.closest('.ant-picker') && each.tabIndex >= 0)
    if (!field) return
    open.set(overlay, 0)
    field.focus({ preventScroll: true })
  }

  /** Nothing has the focus, because what had it went away with its overlay: back to where it was before. */
  function giveBack(overlays: readonly Element[]): void {
    const active = document.activeElement as HTMLElement | null
    const lost = active === null || active === document.body || !isSeen(active)
    const last = stations.at(-1)
    if (!lost || !last?.inOverlay || isSeen(last.element)) return
    const top = overlays.at(-1)
    const back = stations.findLast(
      ({ element }) => isSeen(element) && !(element as HTMLButtonElement).disabled && (!top || top.contains(element)),
    )
    stations = stations.filter(({ element }) => element.isConnected)
    if (back) back.element.focus({ preventScroll: true })
  }

  function next(): void {
    if (ended) return
    look()
    if (window.performance.now() < livelyUntil) frame = window.requestAnimationFrame(next)
    else if (open.size > 0) timer = setTimeout(next, LOOK_EVERY_MS)
  }

  function wake(): void {
    livelyUntil = window.performance.now() + LIVELY_MS
    clearTimeout(timer)
    window.cancelAnimationFrame(frame)
    frame = window.requestAnimationFrame(next)
  }

  const came = new window.MutationObserver(wake)
  came.observe(document.body, { childList: true })
  document.addEventListener('focusin', note, true)
  document.addEventListener('keydown', begun, true)
  document.addEventListener('pointerdown', begun, true)
  return () => {
    ended = true
    came.disconnect()
    clearTimeout(timer)
    window.cancelAnimationFrame(frame)
    document.removeEventListener('focusin', note, true)
    document.removeEventListener('keydown', begun, true)
    document.removeEventListener('pointerdown', begun, true)
  }
}
