import type { FitMode, Scalar, SceneEvent, SceneNode } from '@thingwright/scene'
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { MOST_MOVING, SceneProvider, type SceneSurroundings } from '../ui/scene/scene-context.ts'
import { SceneStage } from '../ui/scene/scene-view.tsx'
import { usePast } from '../ui/scene/use-past.ts'
import { ValueStore } from '../ui/scene/value-store.ts'
import shared from '../ui/scene/words.json' with { type: 'json' }
import type { Asking } from './ask-dialog.tsx'
import { Messages, useMessages } from './messages.tsx'
import css from './page.module.css'
import { openSocket } from './socket.ts'
import { act, actionState, personOf, readAlarms, readPast, readSeries, type Visit, VisitError } from './visit.ts'
import words from './words.json' with { type: 'json' }

// Most visitors press nothing and look at now.
const PastBar = lazy(async () => ({ default: (await import('../ui/scene/past-bar.tsx')).PastBar }))
const AskDialog = lazy(async () => ({ default: (await import('./ask-dialog.tsx')).AskDialog }))

const WRITES = ['set', 'toggle', 'add']
const OVER = ['succeeded', 'rejected', 'timed_out', 'expired', 'failed', 'cancelled']
const ASK_EVERY_MS = 400
const NOTICE_MS = 4_000

interface Notice {
  kind: 'info' | 'failed'
  text: string
}

/** A page that is open: its values flow, and what can be worked can be worked. */
export function ShownPage({
  visit,
  suffix,
  language,
  fit,
  isFitAsked,
  onOver,
  onChanged,
  onDevices,
}: {
  visit: Visit
  suffix: string
  language: 'zh' | 'en'
  fit: FitMode
  /** It stands in the address. */
  isFitAsked: boolean
  onOver(code: string): void
  onChanged(): void
  onDevices(devices: Record<string, string>): void
}) {
  const t = words[language]
  const [store] = useState(() => new ValueStore())
  const [connected, setConnected] = useState(true)
  const [asking, setAsking] = useState<Asking | null>(null)
  const [notice, setNotice] = useState<Notice | null>(null)
  const [working, setWorking] = useState<ReadonlySet<string>>(new Set())
  const [givenUp, setGivenUp] = useState<ReadonlyMap<string, number>>(new Map())
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  /** The PIN that was right: it is asked for once while the page is open. */
  const pin = useRef<string | null>(null)
  const { scene, ticket } = visit

  const past = usePast(useCallback(ts => readPast(suffix, ticket, ts), [suffix, ticket]))
  const [looksBack, setLooksBack] = useState(false)
  const [foot, measureFoot] = useFoot()
  const until = useSlowly(past.at)
  const isPast = past.at !== null

  const { messages, add, close } = useMessages(language)
  const handlers = useRef({ onOver, onChanged, add })
  handlers.current = { onOver, onChanged, add }
  useEffect(() => {
    store.replace(visit.values as never)
    return openSocket(visit.ticket, {
      values: values => store.replace(values),
      patch: patch => store.patch(patch),
      changed: () => handlers.current.onChanged(),
      over: code => handlers.current.onOver(code),
      connected: setConnected,
      message: message => handlers.current.add(message),
    })
  }, [visit, store])
  useEffect(() => {
    if (!notice) return
    const timer = setTimeout(() => setNotice(null), NOTICE_MS)
    return () => clearTimeout(timer)
  }, [notice])

  /** What was set and is not sent or not done: the control shows the device's value again. */
  const giveUp = useCallback(
    (node: SceneNode) => setGivenUp(before => new Map(before).set(node.id, (before.get(node.id) ?? 0) + 1)),
    [],
  )

  /** @returns whether it was done */
  const follow = useCallback(
    async (id: string): Promise<boolean> => {
      for (let tries = 0; tries < 100; tries++) {
        const { state, message } = await actionState(suffix, ticket, id)
        if (state === 'succeeded') {
          setNotice({ kind: 'info', text: t.done })
          return true
        }
        if (OVER.includes(state)) {
          setNotice({
            kind: 'failed',
            text: `${t.refused}: ${message ?? (state === 'timed_out' ? t.timedOut : state)}`,
          })
          return false
        }
        if (state === 'delivered') setNotice({ kind: 'info', text: t.delivered })
        await new Promise(resolve => setTimeout(resolve, ASK_EVERY_MS))
      }
      setNotice({ kind: 'failed', text: t.timedOut })
      return false
    },
    [suffix, ticket, t],
  )

  const send = useCallback(
    async (node: SceneNode, place: number, value: Scalar | undefined, given: string | null): Promise<void> => {
      setWorking(before => new Set(before).add(node.id))
      try {
        const { id } = await act(suffix, {
          ticket,
          node: node.id,
          event: place,
          ...(value === undefined || value === null ? {} : { value }),
          ...(given === null ? {} : { pin: given }),
        })
        pin.current = given
        setNotice({ kind: 'info', text: t.sent })
        if (!(await follow(id))) giveUp(node)
      } finally {
        setWorking(before => new Set([...before].filter(each => each !== node.id)))
      }
    },
    [suffix, ticket, t, follow, giveUp],
  )

  const write = useCallback(
    (node: SceneNode, event: SceneEvent, place: number, value: Scalar | undefined) => {
      const wantsPin = visit.control === 'pin' && pin.current === null
      const failed = (error: unknown) => {
        const said = error instanceof VisitError ? error : new VisitError('server.error', String(error))
        if (said.code === 'page.pin_wrong' || said.code === 'page.pin_required' || said.code === 'page.locked') {
          pin.current = null
          ask(said.message)
        } else {
          setNotice({ kind: 'failed', text: said.message })
          giveUp(node)
        }
      }
      const ask = (error: string | null) =>
        setAsking({
          text: event.confirm ?? '',
          pin: visit.control === 'pin' && pin.current === null,
          error,
          cancel() {
            setAsking(null)
            giveUp(node)
          },
          answer(given) {
            setAsking(null)
            send(node, place, value, given ?? pin.current).catch(failed)
          },
        })
      if (event.confirm !== undefined || wantsPin) ask(null)
      else send(node, place, value, pin.current).catch(failed)
    },
    [visit.control, send, giveUp],
  )

  const happen = useCallback(
    (node: SceneNode, on: SceneEvent['on'], value?: Scalar) => {
      for (const [place, event] of node.events.entries()) {
        // A control that was set does what its click says too, and the other way round.
        const same = event.on === on || (on === 'change' && event.on === 'click')
        if (!same) continue
        if (WRITES.includes(event.do)) {
          if (isPast || visit.control === 'none') {
            setNotice({ kind: 'failed', text: isPast ? shared[language].past.noWrite : t.readOnly })
            giveUp(node)
          } else write(node, event, place, event.do === 'set' ? value : undefined)
        } else if (event.do === 'page' && event.page) {
          if (event.newTab) window.open(`/page/${event.page}`, '_blank', 'noopener')
          else location.assign(`/page/${event.page}`)
        } else if (event.do === 'url' && event.url) {
          if (event.newTab) window.open(event.url, '_blank', 'noopener,noreferrer')
          else location.assign(event.url)
        } else if (event.do === 'dialog' && event.node) {
          const id = event.node
          setOpened(before => new Set(before).add(id))
        } else if (event.do === 'close') setOpened(new Set())
        else if (event.do === 'device' && event.role && typeof event.value === 'string')
          onDevices({ [event.role]: event.value })
      }
    },
    [visit.control, write, t, onDevices, isPast, language, giveUp],
  )

  // What happens when the page is open.
  const loaded = useRef<Visit | null>(null)
  useEffect(() => {
    if (loaded.current === visit) return
    loaded.current = visit
    for (const node of scene.nodes)
      if (node.events.some(({ on, do: deed }) => on === 'load' && !WRITES.includes(deed))) happen(node, 'load')
  }, [visit, scene, happen])

  const isSignedIn = visit.visitor !== null
  const person = useMemo(() => (isSignedIn ? personOf(suffix, ticket) : null), [isSignedIn, suffix, ticket])
  const series = useCallback(
    async (key: string, hours: number) => (await readSeries(suffix, ticket, key, hours, until)).points,
    [suffix, ticket, until],
  )
  const pastAlarms = isPast ? past.alarms : null
  const alarms = useCallback(
    async () => pastAlarms ?? (await readAlarms(suffix, ticket)).items,
    [suffix, ticket, pastAlarms],
  )
  const surroundings = useMemo<SceneSurroundings>(
    () => ({
      scene,
      crowded: scene.nodes.length > MOST_MOVING,
      store: isPast ? past.store : store,
      language,
      at: past.at,
      editing: false,
      happen,
      busy: id => working.has(id),
      givenUp: id => givenUp.get(id) ?? 0,
      series,
      alarms,
      choices: visit.choices,
      chooseDevice: (role, deviceId) => onDevices({ [role]: deviceId }),
      person,
    }),
    [
      scene,
      store,
      language,
      happen,
      working,
      givenUp,
      visit.choices,
      onDevices,
      isPast,
      past.at,
      past.store,
      series,
      alarms,
      person,
    ],
  )
  return (
    <SceneProvider value={surroundings}>
      {!connected && (
        <div className={css.strip} role="status">
          {t.offline}
        </div>
      )}
      <main className={connected ? undefined : css.old} aria-label={visit.name}>
        <SceneStage scene={scene} fit={fit} isAsked={isFitAsked} opened={opened} foot={foot} />
        <div style={{ height: foot }} />
      </main>
      {visit.history && (
        <div className={css.past}>
          {looksBack ? (
            <div className={css.pastBar} ref={measureFoot}>
              <Suspense>
                <PastBar past={past} language={language} onClose={() => setLooksBack(false)} />
              </Suspense>
            </div>
          ) : (
            <button type="button" className={css.plain} onClick={() => setLooksBack(true)}>
              {shared[language].past.open}
            </button>
          )}
        </div>
      )}
      <Messages messages={messages} language={language} onClose={close} />
      {notice && (
        <div className={css.notice} data-kind={notice.kind} role="status">
          {notice.text}
        </div>
      )}
      <Suspense>{asking && <AskDialog key={asking.error ?? ''} asking={asking} language={language} />}</Suspense>
    </SceneProvider>
  )
}

/** Between the bar and the edges of its window, on both sides. */
const MARGINS = 24

/** How much of the window an element at its lower edge covers, and the ref of that element. */
function useFoot(): [number, (element: HTMLElement | null) => void] {
  const [foot, setFoot] = useState(0)
  const observer = useRef<ResizeObserver | null>(null)
  const measure = useCallback((element: HTMLElement | null) => {
    observer.current?.disconnect()
    if (!element) return setFoot(0)
    observer.current = new ResizeObserver(() => setFoot(element.offsetHeight + MARGINS))
    observer.current.observe(element)
  }, [])
  return [foot, measure]
}

const SLOWLY_MS = 3_000

/** The moment for curves, which are read anew for it: while it runs they follow every few seconds. */
function useSlowly(at: number | null): number | null {
  const [slow, setSlow] = useState(at)
  const since = useRef(0)
  useEffect(() => {
    if (at === null) {
      setSlow(null)
      return
    }
    const take = () => {
      since.current = Date.now()
      setSlow(at)
    }
    const timer = setTimeout(take, Math.max(0, since.current + SLOWLY_MS - Date.now()))
    return () => clearTimeout(timer)
  }, [at])
  return slow
}
