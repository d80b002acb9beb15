import { isAllowedSource, qrShapes } from '@thingwright/scene'
import css from '../scene.module.css'
import { useScene } from '../scene-context.ts'
import { Shapes } from '../shapes.tsx'
import words from '../words.json' with { type: 'json' }
import type { ViewProps } from './view-props.ts'

/** The address of something that is shown, when the page may show it. */
function useSource(url: string): { url: string } | { reason: string } {
  const { scene, language } = useScene()
  if (url === '') return { reason: words[language].noData }
  return isAllowedSource(url, scene.hosts) ? { url } : { reason: words[language].blocked }
}

export function ImageView({ look, node }: ViewProps) {
  const source = useSource(look.text('src'))
  if ('reason' in source) return <div className={css.blocked}>{source.reason}</div>
  return (
    <img
      className={css.fill}
      style={{ objectFit: (look.text('fit') || 'contain') as 'contain' }}
      src={source.url}
      alt={look.text('label') || node.name}
      draggable={false}
    />
  )
}

/** A drawing that somebody brought along. As a picture it can neither run nor load anything, whatever it holds. */
export function DrawingView({ look, node }: ViewProps) {
  const { language } = useScene()
  const drawing = look.text('drawing')
  if (!drawing) return <div className={css.blocked}>{words[language].noData}</div>
  return (
    <img
      className={css.fill}
      style={{ objectFit: 'contain' }}
      src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing)}`}
      alt={look.text('label') || node.name}
      draggable={false}
    />
  )
}

/** A QR code of its text; without one, of the address that the page is seen at. */
export function QrView({ look, node }: ViewProps) {
  const { editing, language } = useScene()
  const code = look.text('value') || (editing ? location.origin : location.origin + location.pathname)
  const size = Math.min(node.w, node.h)
  const shapes = qrShapes(code, size, look.text('ink'), look.text('fill'))
  if (shapes.length === 0) return <div className={css.blocked}>{words[language].tooLong}</div>
  return <Shapes shapes={shapes} w={size} h={size} title={node.name || code} whole />
}

export function VideoView({ look, node }: ViewProps) {
  const source = useSource(look.text('src'))
  const { editing } = useScene()
  if ('reason' in source) return <div className={css.blocked}>{source.reason}</div>
  return (
    <video
      className={css.fill}
      src={source.url}
      muted={look.is('muted')}
      loop={look.is('loop')}
      autoPlay={!editing}
      controls={!editing}
      playsInline
      aria-label={node.name}
    />
  )
}

export function FrameView({ look, node }: ViewProps) {
  const source = useSource(look.text('url'))
  const { editing } = useScene()
  if ('reason' in source) return <div className={css.blocked}>{source.reason}</div>
  if (editing) return <div className={css.blocked}>{source.url}</div>
  return (
    <iframe
      className={css.fill}
      src={source.url}
      title={node.name || source.url}
      sandbox="allow-scripts allow-forms allow-popups"
      referrerPolicy="no-referrer"
    />
  )
}

export function NestedPageView({ look, node }: ViewProps) {
  const { editing } = useScene()
  const suffix = look.text('suffix')
  if (!/^[a-z0-9-]{4,32}$/.test(suffix) || editing) return <div className={css.blocked}>{`page/${suffix}`}</div>
  return <iframe className={css.fill} src={`/page/${suffix}`} title={node.name || suffix} />
}

export function WeatherView({ look }: ViewProps) {
  const temperature = look.value('temperature')
  const humidity = look.value('humidity')
  return (
    <div className={css.box}>
      <span className={css.note}>{look.text('place')}</span>
      <strong style={{ fontSize: 32 }}>{temperature === null ? '–' : `${temperature} °C`}</strong>
      <span className={css.note}>
        {look.text('sky')} {humidity === null ? '' : `${humidity}%`}
      </span>
    </div>
  )
}
