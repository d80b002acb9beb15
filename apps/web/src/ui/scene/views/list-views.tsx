import { alarmSign } from '@thingwright/scene'
import { useEffect, useState } from 'react'
import css from '../scene.module.css'
import { type ShownAlarm, useScene } from '../scene-context.ts'
import { Shapes } from '../shapes.tsx'
import { useBound } from '../use-bound.ts'
import words from '../words.json' with { type: 'json' }
import type { ViewProps } from './view-props.ts'

/** Rows of `name = value`, where a value can be `{role.point}`. */
export function TableView({ look }: ViewProps) {
  const rows = look
    .text('rows')
    .split('\n')
    .filter(row => row.trim() !== '')
  return (
    <div className={css.box}>
      {look.text('label') && <h3 className={css.boxTitle}>{look.text('label')}</h3>}
      <div className={css.scroll}>
        <table className={css.table}>
          <tbody>
            {rows.map((row, i) => (
              <Row key={i} text={row} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

function Row({ text }: { text: string }) {
  const cells = useBound(text).split(/[=|]/)
  return (
    <tr>
      {cells.map((cell, i) => (
        <td key={i}>{cell.trim()}</td>
      ))}
    </tr>
  )
}

const EVERY_MS = 10_000

export function AlarmsView({ look }: ViewProps) {
  const { alarms, language } = useScene()
  const [items, setItems] = useState<readonly ShownAlarm[]>([])
  useEffect(() => {
    let gone = false
    const read = () =>
      alarms().then(
        found => {
          if (!gone) setItems(found)
        },
        () => undefined,
      )
    void read()
    const timer = setInterval(() => void read(), EVERY_MS)
    return () => {
      gone = true
      clearInterval(timer)
    }
  }, [alarms])
  const time = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' })
  return (
    <div className={css.box}>
      {look.text('label') && <h3 className={css.boxTitle}>{look.text('label')}</h3>}
      <ul className={css.list}>
        {items.length === 0 && <li className={css.note}>{words[language].noAlarms}</li>}
        {items.slice(0, Math.max(1, look.number('rows', 8))).map(alarm => (
          <li key={alarm.id} className={css.alarm}>
            <Shapes shapes={alarmSign(alarm.level, 22, 22)} w={22} h={22} />
            <span className={css.alarmText}>
              {alarm.name}
              <br />
              <span className={css.note}>{alarm.device}</span>
            </span>
            <span className={css.note}>{time.format(new Date(alarm.raisedAt))}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
