import type { LinkSettings, WrittenBytes } from '@thingwright/contracts/links.contract'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { Panel } from '../../../ui/panel.tsx'
import { spaced, toHex } from './bytes.ts'
import { BytesInput } from './link-fields.tsx'
import css from './product-link.module.css'

/** First packets to begin with. */
const SAMPLES: Readonly<Partial<Record<LinkSettings['register']['kind'], string>>> = {
  text: 'SN-001\\r\\n',
  hex: '\\x00\\x12\\x34',
  regex: 'IMEI:861234567890123\\r\\n',
  json: '{"sn":"SN-001"}\\r\\n',
}

/** What the settings on the page would make of a register packet and of a stream; nothing is stored or sent. */
export function LinkTester({
  productId,
  productKey,
  settings,
  framing,
}: {
  productId: string
  productKey: string
  settings: LinkSettings
  /** Devices of the product send frames of their own. */
  framing: boolean
}) {
  const { t } = useTranslation('product-link')
  const [register, setRegister] = useState<WrittenBytes>(() => ({
    encoding: 'text',
    value: SAMPLES[settings.register.kind] ?? `${productKey}/SN-001/secret\\r\\n`,
  }))
  const [stream, setStream] = useState<WrittenBytes>({
    encoding: 'text',
    value: '#DTU,30.2,41\\r\\n#DTU,30.4,42\\r\\n',
  })
  const asked = useDeferredValue({ settings, register: toHex(register), stream: toHex(stream) })
  const trial = useRead(
    'links.try',
    {
      params: { id: productId },
      body: {
        settings: asked.settings,
        ...(asked.register === null ? {} : { register: asked.register }),
        ...(asked.stream === null ? {} : { stream: asked.stream }),
      },
    },
    { keep: true, staleTime: Number.POSITIVE_INFINITY },
  )
  const found = trial.data?.register
  return (
    <Panel title={t('tester.title')} hint={t('tester.hint')}>
      <div className={css.testers}>
        <div className={css.tester}>
          <h3>{t('tester.register')}</h3>
          <BytesInput
            label={t('tester.register')}
            value={register}
            disabled={false}
            wrong={toHex(register) === null}
            onChange={setRegister}
          />
          <div aria-live="polite" data-testid="register-result">
            {trial.isError && <p className={css.problem}>{trial.error.message}</p>}
            {!trial.isError && found?.deviceNo && (
              <p className={css.explain}>
                {t('tester.names')}{' '}
                <code>{found.productKey ? `${found.productKey} / ${found.deviceNo}` : found.deviceNo}</code>
              </p>
            )}
            {!trial.isError && found?.problem && <p className={css.problem}>{t(`tester.problem.${found.problem}`)}</p>}
          </div>
        </div>
        {framing && (
          <div className={css.tester}>
            <h3>{t('tester.stream')}</h3>
            <BytesInput
              label={t('tester.stream')}
              value={stream}
              disabled={false}
              wrong={toHex(stream) === null}
              onChange={setStream}
            />
            <ol className={css.cuts} data-testid="frames-result">
              {trial.data?.frames.map((frame, at) => (
                // Frames have no identity but their place.
                <li key={at}>
                  <small>{t(`tester.cut.${frame.kind}`)}</small>
                  <code dir="ltr">{frame.text ?? spaced(frame.hex)}</code>
                </li>
              ))}
            </ol>
            {trial.data && trial.data.rest !== '' && (
              <p className={css.quiet}>
                {t('tester.rest')} <code>{spaced(trial.data.rest)}</code>
              </p>
            )}
          </div>
        )}
      </div>
    </Panel>
  )
}
