import { type ComponentType, type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { loadTexts, text } from '../../lib/i18n.ts'
import { notify } from '../../lib/notify.ts'
import { useSession } from '../../lib/session.ts'
import css from './float.module.css'
import type { FloatFrame } from './float-frame.ts'
import { isConversationLeft } from './left-open.ts'
import { closePanel, keepBall, openPanel, takeFocusInstead, usePanel } from './panel-state.ts'
import { BALL, type Box, clearOf, firstPlace, inside } from './place.ts'
import { isSwitchedOff, readStatus, useStatus } from './status.ts'
import { useDrag } from './use-drag.ts'
import { useFreeSpot } from './use-free-spot.ts'
import { useKeptClear } from './use-kept-clear.ts'
import { useScreen } from './use-screen.ts'

type PanelComponent = ComponentType<{ Frame: FloatFrame; ball: { x: number; y: number }; kept: Box | null }>

const SIZE = { width: BALL, height: BALL }
/** Steps of the arrow keys, px. */
const STEP = 16
const LONG_STEP = 64
const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

let loading: Promise<PanelComponent> | null = null
/** Downloads the window with its texts, once; a failed download may be tried again. */
function loadPanel(): Promise<PanelComponent> {
  loading ??= Promise.all([import('./panel/panel.tsx'), loadTexts('assistant')])
    .then(([module]) => module.Panel)
    .catch(error => {
      loading = null
      throw error
    })
  return loading
}

/**
 * The assistant's round button and, once it was pressed, its window. Nothing but the button belongs to a page's first
 * download.
 */
export function Float({ Frame }: { Frame: FloatFrame }) {
  const { t } = useTranslation('shell')
  const appId = useSession(s => s.token?.thingwrightAppId)
  const status = useStatus(s => s.status)
  const { open, unread, ball } = usePanel()
  const screen = useScreen()
  const [Panel, setPanel] = useState<PanelComponent | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  const off = isSwitchedOff(status, appId)

  useEffect(() => {
    if (appId === undefined) return
    const ask = () => void readStatus()
    if (!('requestIdleCallback' in window)) return ask()
    const handle = window.requestIdleCallback(ask, { timeout: 3000 })
    return () => window.cancelIdleCallback(handle)
  }, [appId])

  // What was open before the page was loaded anew comes back, its running reply first.
  useEffect(() => {
    if (appId === undefined || !isConversationLeft()) return
    import('./chat/restore.ts').then(
      module => module.restoreChat(),
      () => undefined,
    )
  }, [appId])

  useEffect(() => {
    if (!open || Panel) return
    let wanted = true
    loadPanel().then(
      component => wanted && setPanel(() => component),
      () => {
        closePanel()
        notify.error(text('shell:assistant.failed'))
      },
    )
    return () => {
      wanted = false
    }
  }, [open, Panel])

  // The focus goes back to where the window was opened from: asked for before the window takes it.
  const opener = useRef<HTMLElement | null>(null)
  useLayoutEffect(() => {
    if (!open) return
    opener.current = document.activeElement as HTMLElement | null
    return () => {
      const back = opener.current
      const target = back?.isConnected && back !== document.body ? back : button.current
      const instead = takeFocusInstead()
      // The button is hidden until this change is drawn.
      requestAnimationFrame(() => (instead ? instead() : target?.focus({ preventScroll: true })))
    }
  }, [open])

  useEffect(() => {
    if (off) return
    // Last of all: an editor that has the key for itself has taken it by now.
    const press = (event: globalThis.KeyboardEvent) => {
      if (event.defaultPrevented || event.key !== '/' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      if (!usePanel.getState().open) openPanel()
      else if (document.querySelector('[data-testid=ai-window]')?.contains(document.activeElement)) closePanel()
      else document.querySelector<HTMLElement>('[data-testid=ai-input]')?.focus()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [off])

  const fit = (place: { x: number; y: number }) => inside(place, SIZE, screen)
  const place = fit(ball ?? firstPlace(screen))
  const kept = useKeptClear(appId === undefined)
  // Where somebody put it, it stays; at its own place it makes way for what can be pressed there.
  const mayMove = appId !== undefined && ball === null && !off
  const free = useFreeSpot(button, place, screen, mayMove && !open)
  const spot = mayMove ? fit(free) : place
  const { moving, wasDrag, handlers } = useDrag({ start: () => spot, fit, done: keepBall })
  const at = moving ?? clearOf(spot, SIZE, kept, screen)
  if (off) return null

  const onKeyDown = (event: KeyboardEvent) => {
    const arrow = ARROWS[event.key]
    if (!arrow || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    const step = event.shiftKey ? LONG_STEP : STEP
    keepBall(fit({ x: spot.x + arrow[0] * step, y: spot.y + arrow[1] * step }))
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        className={css.ball}
        style={{ translate: `${at.x}px ${at.y}px` }}
        aria-label={t(unread ? 'assistant.unread' : 'assistant.name')}
        aria-description={t('assistant.hint')}
        aria-keyshortcuts="Control+/"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-busy={open && !Panel}
        title={t('assistant.hint')}
        data-testid="ai-ball"
        data-moving={moving !== null}
        data-hidden={open && Panel !== null}
        onClick={event => {
          // A key presses it without a pointer that could have dragged it.
          if (event.detail === 0 || !wasDrag()) openPanel()
        }}
        onKeyDown={onKeyDown}
        onPointerEnter={() => void loadPanel().catch(() => undefined)}
        onDragStart={event => event.preventDefault()}
        {...handlers}
      >
        AI
        {unread && <span className={css.dot} data-testid="ai-unread" />}
      </button>
      {open && Panel && <Panel Frame={Frame} ball={place} kept={kept} />}
    </>
  )
}
