import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Button, Input, Segmented, Select } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { showError } from '../../../lib/errors.ts'
import { useMay } from '../../../lib/permissions.ts'
import { type Answers, sendGuarded } from '../../../ui/command-kit/send-guarded.ts'
import { InputNumber } from '../../../ui/input-number.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { type FrameMode, FrameRows, FrameTools } from '../frames/frame-view.tsx'
import { useFrames } from '../frames/use-frames.ts'
import { ENDINGS, type Ending, hexBytes, MAX_BYTES, textBytes, toHex, withEnding } from './bytes.ts'
import css from './terminal.module.css'

const REMEMBERED = 50
const SHORTEST_MS = 200
const MOST_TIMES = 1_000

/** Bytes to a connected device and what comes back, like on its serial line. */
export function TerminalPanel({ device }: { device: DeviceView }) {
  const { t } = useTranslation('diagnose')
  const maySend = useMay('diagnosis.send')
  const frames = useFrames(device.id)
  const [mode, setMode] = useState<FrameMode>('hex')
  const [typed, setTyped] = useState('')
  const [as, setAs] = useState<'hex' | 'text'>('hex')
  const [ending, setEnding] = useState<Ending>('none')
  const [everyMs, setEveryMs] = useState(1_000)
  const [times, setTimes] = useState(10)
  const [left, setLeft] = useState(0)
  const [busy, setBusy] = useState(false)
  const history = useRef<string[]>([])
  const at = useRef(-1)
  const loop = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(loop.current), [])

  const read = as === 'hex' ? hexBytes(typed) : textBytes(typed)
  const bytes = read && read.length > 0 ? withEnding(read, ending) : null
  const problem =
    typed !== '' && read === null
      ? t(as === 'hex' ? 'terminal.badHex' : 'terminal.badText')
      : bytes && bytes.length > MAX_BYTES
        ? t('terminal.tooLong')
        : null
  const ready = bytes !== null && problem === null

  /** What the person said to get past the product's guards: a loop does not ask at every turn. */
  const answered = useRef<Answers>({})
  /** False when the device did not get it: a loop ends then. */
  const send = async (hex: string): Promise<boolean> => {
    try {
      await sendGuarded(async said => {
        const answers = { ...answered.current, ...said }
        await call('diagnosis.send', { params: { id: device.id }, body: { hex, ...answers } })
        answered.current = answers
      })
      return true
    } catch (error) {
      showError(error)
      return false
    }
  }
  const sendOnce = async () => {
    if (!bytes || !ready || busy) return
    setBusy(true)
    if (history.current[0] !== typed) history.current = [typed, ...history.current].slice(0, REMEMBERED)
    at.current = -1
    await send(toHex(bytes))
    setBusy(false)
  }
  const startLoop = () => {
    if (!bytes || !ready) return
    const hex = toHex(bytes)
    const step = async (rest: number) => {
      setLeft(rest)
      if (rest === 0) return
      if (!(await send(hex))) return setLeft(0)
      loop.current = setTimeout(() => void step(rest - 1), Math.max(SHORTEST_MS, everyMs))
    }
    void step(Math.min(MOST_TIMES, times))
  }
  const stopLoop = () => {
    clearTimeout(loop.current)
    setLeft(0)
  }
  const recall = (step: 1 | -1) => {
    const next = Math.min(history.current.length - 1, Math.max(-1, at.current + step))
    at.current = next
    setTyped(next < 0 ? '' : (history.current[next] ?? ''))
  }

  return (
    <Panel
      title={t('terminal.title')}
      hint={t('terminal.hint')}
      actions={<FrameTools of={frames} mode={mode} onMode={setMode} fileName={device.deviceNo} />}
    >
      <FrameRows frames={frames.frames} missed={frames.missed} mode={mode} label={t('terminal.title')} />
      {maySend && (
        <div className={css.bar}>
          <div className={css.row}>
            <Segmented
              aria-label={t('frames.show')}
              value={as}
              options={[
                { value: 'hex', label: 'HEX' },
                { value: 'text', label: 'ASCII' },
              ]}
              onChange={setAs}
            />
            <Input
              className={css.input}
              aria-label={t('terminal.input')}
              title={t('terminal.history')}
              placeholder={t(as === 'hex' ? 'terminal.hexPlaceholder' : 'terminal.textPlaceholder')}
              value={typed}
              {...(problem ? { status: 'error' as const } : {})}
              onChange={event => setTyped(event.target.value)}
              onPressEnter={() => void sendOnce()}
              onKeyDown={event => {
                if (event.key === 'ArrowUp') recall(1)
                else if (event.key === 'ArrowDown') recall(-1)
              }}
            />
            <Select
              aria-label={t('terminal.append')}
              value={ending}
              style={{ width: 152 }}
              options={ENDINGS.map(value => ({ value, label: t(`terminal.${value}`) }))}
              onChange={setEnding}
            />
            <Button type="primary" loading={busy} disabled={!ready || left > 0} onClick={() => void sendOnce()}>
              {t('terminal.send')}
            </Button>
          </div>
          <div className={css.row}>
            <span className={css.says} data-problem={problem !== null}>
              {problem ?? (bytes ? t('terminal.willSend', { count: bytes.length }) : '')}
            </span>
            <span className={css.field}>
              {t('terminal.every')}
              <InputNumber
                aria-label={t('terminal.every')}
                min={SHORTEST_MS}
                max={3_600_000}
                step={100}
                value={everyMs}
                onChange={value => setEveryMs(value ?? 1_000)}
              />
            </span>
            <span className={css.field}>
              {t('terminal.times')}
              <InputNumber
                aria-label={t('terminal.times')}
                min={1}
                max={MOST_TIMES}
                precision={0}
                value={times}
                onChange={value => setTimes(value ?? 1)}
              />
            </span>
            {left > 0 ? (
              <Button danger onClick={stopLoop}>
                {t('terminal.stop', { left })}
              </Button>
            ) : (
              <Button disabled={!ready} onClick={startLoop}>
                {t('terminal.loop')}
              </Button>
            )}
          </div>
        </div>
      )}
    </Panel>
  )
}
