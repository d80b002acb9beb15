import { CHARGE_ITEMS, type ChargeItem } from '@thingwright/contracts/money.words'
import type { StatementRow } from '@thingwright/contracts/wallets.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { formatMoney } from '../../lib/format.ts'
import css from './money.module.css'

const COLOURS: Record<ChargeItem, string> = {
  platform: '#1f5eff',
  devices: '#13a8a8',
  sms: '#d48806',
  voice: '#e8684a',
  storage: '#9254de',
  api: '#00a870',
  sim: '#eb2f96',
  video: '#595959',
  other: '#86909c',
}
export const colourOf = (item: string): string => COLOURS[item as ChargeItem] ?? COLOURS.other
const WIDTH = 640
const HEIGHT = 180
const LEFT = 48
const BOTTOM = 20

/** Charges by day as stacked bars; days without a charge stand as gaps. */
export function ChargesChart({ rows, days }: { rows: readonly StatementRow[]; days: readonly string[] }) {
  const { t } = useTranslation('money')
  const { items, most } = useMemo(() => {
    const totals = new Map<string, number>()
    for (const row of rows) totals.set(row.day, (totals.get(row.day) ?? 0) + Math.max(0, row.amountFen))
    return {
      items: CHARGE_ITEMS.filter(item => rows.some(row => row.key === item)),
      most: Math.max(1, ...totals.values()),
    }
  }, [rows])
  const step = (WIDTH - LEFT) / days.length
  const y = (fen: number) => (fen / most) * (HEIGHT - BOTTOM - 8)
  return (
    <>
      <ul className={css.legend}>
        {items.map(item => (
          <li key={item}>
            <span className={css.swatch} style={{ background: colourOf(item) }} />
            {t(`item.${item}`)}
          </li>
        ))}
      </ul>
      <svg className={css.bars} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={t('assets.chart')}>
        <text x="0" y="12">
          {formatMoney(most)}
        </text>
        <line x1={LEFT} x2={WIDTH} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} stroke="var(--tw-line)" />
        {days.map((day, at) => {
          let base = HEIGHT - BOTTOM
          return (
            <g key={day}>
              {rows
                .filter(row => row.day === day && row.amountFen > 0)
                .map(row => {
                  const height = y(row.amountFen)
                  base -= height
                  return (
                    <rect
                      key={row.key}
                      x={LEFT + at * step + step * 0.15}
                      y={base}
                      width={step * 0.7}
                      height={height}
                      fill={colourOf(row.key)}
                    >
                      <title>{`${day} ${t(`item.${row.key}`)} ${formatMoney(row.amountFen)}`}</title>
                    </rect>
                  )
                })}
              {at % 7 === 0 && (
                <text x={LEFT + at * step} y={HEIGHT - 4}>
                  {day.slice(5)}
                </text>
              )}
            </g>
          )
        })}
      </svg>
    </>
  )
}
