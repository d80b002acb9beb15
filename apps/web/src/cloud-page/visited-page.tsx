import { FIT_MODES, type FitMode } from '@thingwright/scene'
import { useCallback, useEffect, useRef, useState } from 'react'
import { Door } from './door.tsx'
import css from './page.module.css'
import { ShownPage } from './shown-page.tsx'
import { openPage, type Visit, VisitError, type VisitWay, visitorLanguage } from './visit.ts'
import words from './words.json' with { type: 'json' }

const language = visitorLanguage()

/** Seconds after which a kiosk shows the next page, and those pages: `?rotate=30&pages=one,two`. */
function rotationOf(query: URLSearchParams): { seconds: number; next: string } | null {
  const seconds = Number(query.get('rotate'))
  const pages = (query.get('pages') ?? '').split(',').filter(page => /^[a-z0-9-]{4,32}$/.test(page))
  if (!Number.isFinite(seconds) || seconds < 5 || pages.length === 0) return null
  const here = location.pathname.split('/').at(-1) ?? ''
  const next = pages[(pages.indexOf(here) + 1) % pages.length]!
  return { seconds, next: `/page/${next}${location.search}` }
}

/** The page of the address: opened, or the reason why not. */
export function VisitedPage({ suffix }: { suffix: string }) {
  const t = words[language]
  const [visit, setVisit] = useState<Visit | null>(null)
  const [error, setError] = useState<VisitError | null>(null)
  const last = useRef<VisitWay>({})

  const open = useCallback(
    async (way: VisitWay) => {
      last.current = way
      try {
        const found = await openPage(suffix, way)
        last.current = { ticket: found.ticket }
        document.title = found.name
        // The address was changed: who keeps it keeps the new one.
        if (found.suffix !== suffix) history.replaceState(null, '', `/page/${found.suffix}${location.search}`)
        setVisit(found)
        setError(null)
      } catch (failure) {
        setVisit(null)
        setError(failure instanceof VisitError ? failure : new VisitError('server.error', String(failure)))
      }
    },
    [suffix],
  )

  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
    const query = new URLSearchParams(location.search)
    const link = query.get('link')
    void open(link ? { link } : {})
    const rotation = rotationOf(query)
    if (!rotation) return
    const timer = setTimeout(() => location.assign(rotation.next), rotation.seconds * 1000)
    return () => clearTimeout(timer)
  }, [open])

  const devices = useRef<Record<string, string>>({})
  const onDevices = useCallback(
    (chosen: Record<string, string>) => {
      devices.current = { ...devices.current, ...chosen }
      void open({ ...last.current, devices: devices.current })
    },
    [open],
  )
  const onChanged = useCallback(() => void open(last.current), [open])
  const onOver = useCallback(
    (code: string) => {
      // Asked anew, the server says why in the visitor's language.
      void open(code === 'page.ticket_invalid' ? {} : last.current)
    },
    [open],
  )

  if (error)
    return (
      <Door
        key={error.code}
        error={error}
        language={language}
        onPasscode={passcode => void open({ passcode })}
        onAgain={() => void open(last.current)}
      />
    )
  if (!visit)
    return (
      <main className={css.page}>
        <p role="status">{t.loading}</p>
      </main>
    )
  const asked = new URLSearchParams(location.search).get('fit')
  const wanted: FitMode | undefined = FIT_MODES.find(mode => mode === asked)
  return (
    <ShownPage
      visit={visit}
      suffix={visit.suffix}
      language={language}
      fit={wanted ?? visit.scene.fit}
      isFitAsked={wanted !== undefined}
      onOver={onOver}
      onChanged={onChanged}
      onDevices={onDevices}
    />
  )
}
