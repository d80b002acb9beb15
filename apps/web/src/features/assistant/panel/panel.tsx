import { useLiveQuery } from 'dexie-react-hooks'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { notify } from '../../../lib/notify.ts'
import { useSession } from '../../../lib/session.ts'
import { ask, followChat } from '../chat/chat.ts'
import { useChat } from '../chat/chat-store.ts'
import { history } from '../chat/history.ts'
import type { FloatFrame } from '../float-frame.ts'
import type { PageContext } from '../model.ts'
import { contextOf } from '../page-context.ts'
import { closePanel, type Place, usePanel } from '../panel-state.ts'
import { type Box, besideBall, clearOf, inside, sideOf, windowSize } from '../place.ts'
import { useDrag } from '../use-drag.ts'
import { useScreen } from '../use-screen.ts'
import { Composer, isAttached } from './composer.tsx'
import { Conversation } from './conversation.tsx'
import { HistoryList } from './history-list.tsx'
import css from './panel.module.css'
import { PanelHeader } from './panel-header.tsx'
import { useAutoScroll } from './use-auto-scroll.ts'

const FOCUSABLE = 'button, [href], input, textarea, select, [tabindex]:not([tabindex="-1"])'

/** The assistant's window (specification §2): floating, docked to a bottom corner, or over the whole screen. */
export function Panel({ Frame, ball, kept }: { Frame: FloatFrame; ball: Place; kept: Box | null }) {
  const { t } = useTranslation('assistant')
  const { pathname, search } = useLocation()
  const { mode, place, side } = usePanel()
  const screen = useScreen()
  const signedIn = useSession(s => s.token !== null)
  const [popup, setPopup] = useState(false)
  const noHistory = useNoHistory()
  useOtherTabs()

  const size = windowSize(screen)
  const fit = (at: Place) => inside(at, size, screen)
  const floating = clearOf(fit(place ?? besideBall(ball, screen)), size, kept, screen)
  const { moving, handlers } = useDrag({
    start: () => floating,
    fit,
    done: at => usePanel.setState({ place: at, side: sideOf({ x: at.x, width: size.width }, screen) }),
  })
  // The half of the screen where the window stands is the corner it docks to.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, where it stands when it opens; moving it says so itself
  useEffect(() => usePanel.setState({ side: sideOf({ x: floating.x, width: size.width }, screen) }), [])
  const at = moving ?? floating
  const full = mode === 'full'
  // Whoever has to sign in sees where; who then wants the whole screen all the same has it.
  const signInShown = kept !== null
  const covers = signInShown && mode === 'docked'
  useEffect(() => {
    if (signInShown || covers) usePanel.setState({ mode: 'floating', before: 'floating' })
  }, [signInShown, covers])
  const style = full ? {} : mode === 'docked' ? { ...size, [side]: 0, bottom: 0 } : { ...size, left: at.x, top: at.y }

  const root = useRef<HTMLElement>(null)
  const input = useRef<HTMLTextAreaElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const scroll = useAutoScroll(box, content)
  const here = contextOf(pathname, search)
  const [attached, setAttached] = useState(isAttached)
  const toInput = () => input.current?.focus({ preventScroll: true })
  useEffect(toInput, [])
  useEffect(() => {
    if (full) setPopup(false)
  }, [full])

  const send = (question: string, context?: PageContext) => {
    if (!signedIn) {
      notify.info(t('tip.signIn'))
      return
    }
    void ask(question, context ?? (attached && here ? here : undefined))
    scroll.afterSending()
    toInput()
  }

  const onKeyDown = (event: KeyboardEvent) => {
    // Parts that are drawn elsewhere (a confirmation over the page) have keys of their own.
    if (event.defaultPrevented || !root.current?.contains(event.target as Node) || event.nativeEvent.isComposing) return
    if (event.key === 'Escape') {
      event.preventDefault()
      event.stopPropagation()
      if (popup) {
        setPopup(false)
        toInput()
      } else closePanel()
    } else if (event.key === 'Tab' && full) keepFocus(event, root.current)
  }

  return (
    <section
      ref={root}
      className={css.window}
      style={style}
      role="dialog"
      aria-modal={full}
      aria-labelledby="ai-title"
      data-mode={mode}
      data-side={side}
      data-moving={moving !== null}
      data-testid="ai-window"
      onKeyDown={onKeyDown}
      onClick={event => {
        // The page that was asked for lies below: it is to be seen.
        if (full && event.target instanceof Element && event.target.closest('a[href^="/"]'))
          usePanel.setState(s => ({ mode: s.before }))
      }}
    >
      {full && (
        <aside className={css.sidebar} data-testid="ai-sidebar">
          <HistoryList as="sidebar" noHistory={noHistory} onOpened={toInput} onClose={toInput} />
        </aside>
      )}
      <div className={css.main}>
        <PanelHeader
          historyOpen={popup}
          noHistory={noHistory}
          onHistory={() => setPopup(!popup)}
          onNewChat={() => {
            setPopup(false)
            toInput()
          }}
          drag={mode === 'floating' ? handlers : null}
        />
        <div className={css.body}>
          <Conversation Frame={Frame} pathname={pathname} scroll={scroll} box={box} content={content} onSend={send} />
          <Composer input={input} here={here} attached={attached} onAttach={setAttached} onSend={send} />
          {popup && !full && (
            <div className={css.popup} data-testid="ai-history-popup">
              <HistoryList
                as="popup"
                noHistory={noHistory}
                onOpened={() => {
                  setPopup(false)
                  toInput()
                }}
                onClose={() => {
                  setPopup(false)
                  toInput()
                }}
              />
            </div>
          )}
        </div>
      </div>
    </section>
  )
}

/** Over the whole screen there is nothing else to go to: Tab goes round. */
function keepFocus(event: KeyboardEvent, root: HTMLElement): void {
  const all = [...root.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    each => !each.hasAttribute('disabled') && each.tabIndex >= 0 && each.getClientRects().length > 0,
  )
  const [first, last] = [all[0], all.at(-1)]
  if (event.shiftKey ? document.activeElement === first : document.activeElement === last) {
    event.preventDefault()
    ;(event.shiftKey ? last : first)?.focus()
  }
}

/** Why this browser keeps no history; null while it does, or while nobody is signed in. */
function useNoHistory(): string | null {
  const { t } = useTranslation('assistant')
  const userId = useSession(s => s.token?.id)
  const [usable, setUsable] = useState(true)
  useEffect(() => {
    let wanted = true
    if (userId !== undefined)
      void history()
        ?.usable()
        .then(found => wanted && setUsable(found))
    return () => {
      wanted = false
    }
  }, [userId])
  return usable ? null : t('tip.noDatabase')
}

/** Takes over what another tab does to the conversation that is open here. */
function useOtherTabs(): void {
  const id = useChat(s => s.id)
  const found = useLiveQuery(
    async () =>
      id === undefined
        ? null
        : {
            id,
            chat: await history()
              ?.get(id)
              .catch(() => 'failed' as const),
          },
    [id],
  )
  useEffect(() => {
    if (!found || found.id !== useChat.getState().id || found.chat === 'failed') return
    followChat(found.chat ?? null)
  }, [found])
}
