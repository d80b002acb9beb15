import { ArrowUpOutlined, MinusOutlined, PlusOutlined } from '@ant-design/icons'
import { PTZ_SPEEDS, type PtzDirection, type PtzSpeed } from '@thingwright/contracts/video.words'
import { Segmented } from 'antd'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useTurn } from './use-turn.ts'
import css from './video.module.css'

/** Degrees by which the arrow is turned; the order of a pad of three by three. */
const PAD: readonly (readonly [PtzDirection, number] | null)[] = [
  ['up_left', -45],
  ['up', 0],
  ['up_right', 45],
  ['left', -90],
  null,
  ['right', 90],
  ['down_left', -135],
  ['down', 180],
  ['down_right', 135],
]

/** Turns and zooms a camera while a button is held down, by pointer or by key. */
export function PtzPad({ id, disabled }: { id: string; disabled: boolean }) {
  const { t } = useTranslation('video')
  const [speed, setSpeed] = useState<PtzSpeed>('medium')
  const { turning, begin, end } = useTurn(id)
  const holding = (direction: PtzDirection) => ({
    type: 'button' as const,
    disabled,
    'aria-label': t(`ptz.${direction}`),
    title: t(`ptz.${direction}`),
    'data-held': turning === direction,
    onPointerDown: (event: PointerEvent<HTMLButtonElement>) => {
      if (event.button !== 0) return
      // The button hears of it too when the pointer is let go beside it.
      event.currentTarget.setPointerCapture(event.pointerId)
      begin(direction, speed)
    },
    onPointerUp: end,
    onPointerCancel: end,
    onLostPointerCapture: end,
    onContextMenu: (event: { preventDefault(): void }) => event.preventDefault(),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== ' ' && event.key !== 'Enter') return
      event.preventDefault()
      if (!event.repeat) begin(direction, speed)
    },
    onKeyUp: (event: KeyboardEvent) => {
      if (event.key === ' ' || event.key === 'Enter') end()
    },
    onBlur: end,
  })
  return (
    <section className={css.ptz} aria-label={t('ptz.title')}>
      <h3 className={css.small}>{t('ptz.title')}</h3>
      <div className={css.pad}>
        {PAD.map((entry, at) =>
          entry === null ? (
            <span key={at} className={css.padMiddle} aria-hidden />
          ) : (
            <button key={entry[0]} {...holding(entry[0])} className={css.padButton}>
              <ArrowUpOutlined aria-hidden style={{ transform: `rotate(${entry[1]}deg)` }} />
            </button>
          ),
        )}
      </div>
      <div className={css.row}>
        <button {...holding('zoom_in')} className={css.zoomButton}>
          <PlusOutlined aria-hidden /> {t('ptz.zoomIn')}
        </button>
        <button {...holding('zoom_out')} className={css.zoomButton}>
          <MinusOutlined aria-hidden /> {t('ptz.zoomOut')}
        </button>
      </div>
      <Segmented
        block
        aria-label={t('ptz.speed')}
        disabled={disabled}
        value={speed}
        options={PTZ_SPEEDS.map(value => ({ value, label: t(`ptz.speeds.${value}`) }))}
        onChange={setSpeed}
      />
      <p className={css.quiet}>{t('ptz.hint')}</p>
    </section>
  )
}
