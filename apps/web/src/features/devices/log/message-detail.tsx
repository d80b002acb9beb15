import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Drawer } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDateTime } from '../../../lib/format.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { CopyButton } from '../../../ui/copy-id.tsx'
import { Facts } from '../../../ui/panel.tsx'
import { PayloadView } from '../../../ui/payload-view.tsx'
import { textOf } from '../frames/frame-list.ts'
import css from './log.module.css'
import { frameOfMessage, type Message } from './message-log.ts'

/** One message: what was understood beside its bytes. */
export function MessageDetail({
  device,
  message,
  onClose,
}: {
  device: DeviceView
  message: Message
  onClose: () => void
}) {
  const { t } = useTranslation('devices')
  const { t: own } = useTranslation('diagnose')
  const hasBytes = message.hex !== null || message.text !== null
  // Bytes of good messages are not kept: the gateway may have them still.
  const frames = useRead(
    'diagnosis.frames',
    { params: { id: device.id } },
    { about: message.id, enabled: !hasBytes && message.direction !== 'none', staleTime: Number.POSITIVE_INFINITY },
  )
  const frame = hasBytes ? null : frameOfMessage(message, frames.data?.items ?? [])
  const hex = message.hex ?? frame?.hex ?? null
  const text = message.text ?? (frame ? plainOf(frame.hex) : null)
  const values =
    message.values === null || message.values === undefined ? null : JSON.stringify(message.values, null, 2)
  return (
    <Drawer
      open
      size={860}
      title={message.kind === 'command' ? own('log.command') : t(`messageKind.${message.kind}`)}
      onClose={onClose}
    >
      <div className={css.detail}>
        <Facts
          items={[
            { label: t('arrived'), value: formatDateTime(message.arrivedAt, { millis: true }) },
            { label: t('storedAt'), value: formatDateTime(message.ts, { millis: true }) },
            {
              label: t('deviceTime'),
              value: message.deviceTs === null ? '–' : formatDateTime(message.deviceTs, { millis: true }),
            },
            { label: t('qualityWord'), value: t(`quality.${message.quality}`) },
            ...(message.simulated ? [{ label: t('marks'), value: own('log.simulatedHelp') }] : []),
            ...(message.refusedReason
              ? [
                  {
                    label: t('reason'),
                    value: t(`refusal.${message.refusedReason}`, { defaultValue: message.refusedReason }),
                  },
                ]
              : []),
          ]}
        />
        <div className={css.sides}>
          <section>
            <header>
              <b>{own('log.parsed')}</b>
              {values !== null && <CopyButton value={values} />}
            </header>
            <pre className={css.json} dir="ltr">
              {values ?? '–'}
            </pre>
          </section>
          <section>
            <header>
              <b>{own('log.raw')}</b>
              {frame && <small>{own('log.fromFrames')}</small>}
            </header>
            {hex === null && text === null ? (
              <p className={css.noRaw}>{own('log.noRaw')}</p>
            ) : (
              <PayloadView hex={hex} text={text} />
            )}
          </section>
        </div>
        {message.kind === 'refused' && message.hex && (
          <Link
            className={css.link}
            to={`/manage/product/ProductSet/ProductFormat?id=${encodeURIComponent(device.productId)}&frame=${message.hex.slice(0, 4096)}`}
          >
            {own('log.tryFormat')}
          </Link>
        )}
      </div>
    </Drawer>
  )
}

/** Bytes that are a text, as text. */
function plainOf(hex: string): string | null {
  const text = textOf(hex)
  return text.includes('·') ? null : text
}
