import { Alert, Button, Input, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { InputNumber } from '../../ui/input-number.tsx'
import { CodecFields } from './codec-fields.tsx'
import { hexProblem } from './codec-input.ts'
import css from './lora.module.css'

type Direction = 'up' | 'down'
const SAMPLE = { hex: '01 67 00 EB', object: '{\n  "level": 5\n}' }

/** Runs the codec that is being written with a frame or with values; nothing is stored or sent. */
export function CodecTester({ script }: { script: string }) {
  const { t } = useTranslation('lora')
  const [direction, setDirection] = useState<Direction>('up')
  const [hex, setHex] = useState(SAMPLE.hex)
  const [object, setObject] = useState(SAMPLE.object)
  const [port, setPort] = useState(2)
  const [problem, setProblem] = useState<string | null>(null)
  const run = useAct('loraCodec.try', { own: false, notice: false })
  const reply = run.reply

  const start = () => {
    const values = direction === 'down' ? readObject(object) : {}
    const wrong = direction === 'up' ? hexProblem(hex) : values === null ? 'object' : null
    setProblem(wrong === null ? null : t(wrong === 'object' ? 'codec.objectRule' : 'codec.hexRule'))
    if (wrong !== null) return
    void run.run({
      body: { script, direction, port, ...(direction === 'up' ? { hex } : { object: values ?? {} }) },
    })
  }

  return (
    <section className={css.tester} aria-label={t('codec.title')}>
      <div className={css.row}>
        <strong>{t('codec.title')}</strong>
        <Segmented
          aria-label={t('codec.direction')}
          value={direction}
          onChange={value => setDirection(value as Direction)}
          options={(['up', 'down'] as const).map(value => ({ value, label: t(`codec.directions.${value}`) }))}
        />
        <span className={css.row}>
          {t('profile.port')}
          <InputNumber
            aria-label={t('profile.port')}
            min={1}
            max={255}
            value={port}
            onChange={value => setPort(value ?? 2)}
          />
        </span>
        <Button type="primary" ghost loading={run.pending} disabled={script.trim() === ''} onClick={start}>
          {t('codec.run')}
        </Button>
      </div>
      <p className={css.quiet}>{t('codec.hint')}</p>
      {direction === 'up' ? (
        <Input
          aria-label={t('codec.hex')}
          className={css.mono ?? ''}
          value={hex}
          maxLength={2000}
          spellCheck={false}
          onChange={event => setHex(event.target.value)}
        />
      ) : (
        <Input.TextArea
          aria-label={t('codec.object')}
          className={css.mono ?? ''}
          rows={4}
          value={object}
          spellCheck={false}
          onChange={event => setObject(event.target.value)}
        />
      )}
      {problem !== null && <Alert type="error" showIcon role="alert" title={problem} />}
      {run.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(run.error).message} />}
      {reply && problem === null && (
        <div aria-live="polite">
          {reply.ok ? (
            <pre className={css.output}>
              {reply.hex === null
                ? JSON.stringify(reply.data, null, 2)
                : `${reply.hex}${reply.port === null ? '' : `  fPort ${reply.port}`}`}
            </pre>
          ) : (
            <Alert
              type="error"
              showIcon
              title={t(`codec.reasons.${reply.reason ?? 'script_error'}`)}
              description={[reply.line === null ? null : t('codec.line', { line: reply.line }), reply.error]
                .filter(Boolean)
                .join(' ')}
            />
          )}
          {reply.ok && isRecord(reply.data) && <CodecFields data={reply.data} />}
          {reply.logs.length > 0 && <pre className={css.output}>{reply.logs.join('\n')}</pre>}
          <p className={css.quiet}>{t('codec.took', { ms: reply.tookMs })}</p>
        </div>
      )}
    </section>
  )
}

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text) as unknown
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
