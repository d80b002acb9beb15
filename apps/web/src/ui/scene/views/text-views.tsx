import { useEffect, useState } from 'react'
import css from '../scene.module.css'
import { useScene } from '../scene-context.ts'
import type { ViewProps } from './view-props.ts'

const ALIGN = { left: 'flex-start', center: 'center', right: 'flex-end' } as Record<string, string>

export function TextView({ look }: ViewProps) {
  return (
    <div
      className={css.text}
      style={{
        fontSize: look.number('size', 18),
        color: look.text('ink'),
        fontWeight: look.is('bold') ? 700 : 400,
        justifyContent: ALIGN[look.text('align')] ?? 'flex-start',
      }}
      dir="auto"
    >
      {look.text('value')}
    </div>
  )
}

export function MarqueeView({ look }: ViewProps) {
  return (
    <div className={css.marquee} style={{ fontSize: look.number('size', 18), color: look.text('ink') }}>
      <span>{look.text('value')}</span>
    </div>
  )
}

export function ClockView({ look }: ViewProps) {
  const { language, at } = useScene()
  const [clock, setNow] = useState(() => new Date())
  const now = at === null ? clock : new Date(at)
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 1000)
    return () => clearInterval(timer)
  }, [])
  const format = look.text('format')
  const text = new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', {
    ...(format === 'time' ? {} : { dateStyle: 'medium' }),
    ...(format === 'date' ? {} : { timeStyle: 'medium' }),
  } as Intl.DateTimeFormatOptions).format(now)
  return (
    <div className={css.text} style={{ fontSize: look.number('size', 24), color: look.text('ink'), fontWeight: 700 }}>
      <time dateTime={now.toISOString()}>{text}</time>
    </div>
  )
}
