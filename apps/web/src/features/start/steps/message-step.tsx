import { Alert, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatClock } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { CopyButton, CopyId } from '../../../ui/copy-id.tsx'
import css from '../start.module.css'
import type { FirstMessage } from '../use-first-message.ts'
import type { Added } from './device-step.tsx'

const LINK = '/manage/device/DeviceSet/DeviceSetLink'

/** Code for the first message, and a light that shows it arriving. */
export function MessageStep({
  device,
  added,
  message,
}: {
  device: { id: string }
  added: Added | null
  message: FirstMessage | null
}) {
  const { t } = useTranslation('start')
  const address = `${LINK}?id=${device.id}`
  if (message && !message.refused)
    return (
      <p className={css.light} data-state="received" role="status" data-testid="start-received">
        <b>{t('message.received', { time: formatClock(message.at) })}</b> <code>{message.words}</code>
      </p>
    )
  return (
    <>
      <p className={css.light} data-state={message ? 'refused' : 'waiting'} role="status">
        <i aria-hidden="true" />
        {message ? t('message.refused', { reason: message.words }) : t('message.waiting')}
        <Link to={address}>{t('message.diagnose')}</Link>
      </p>
      <p>{t('message.text')}</p>
      {added ? (
        <p className={css.secret}>
          {t('message.username')} <CopyId value={`${added.productKey}/${added.deviceNo}`} />
          <span>{t('message.secret')}</span>
          <span data-testid="start-secret">
            <CopyId value={added.deviceSecret} />
          </span>
        </p>
      ) : (
        <Alert
          type="info"
          showIcon
          title={
            <>
              {t('message.secretGone')}{' '}
              <Link to={address} className={css.within}>
                {t('message.connect')}
              </Link>
            </>
          }
        />
      )}
      <Code device={device} secret={added?.deviceSecret ?? null} />
    </>
  )
}

function Code({ device, secret }: { device: { id: string }; secret: string | null }) {
  const { t } = useTranslation('start')
  const access = useRead(
    'devices.access',
    { params: { id: device.id } },
    { staleTime: 60_000, enabled: useMay('devices.access') },
  )
  const [chosen, setChosen] = useState<string | null>(null)
  const snippets = access.data?.ways[0]?.snippets ?? []
  const snippet = snippets.find(({ name }) => name === chosen) ?? snippets[0]
  if (!access.data || !snippet) return null
  const text = secret === null ? snippet.text : snippet.text.replaceAll(access.data.secretPlace, secret)
  return (
    <div className={css.snippet}>
      <Segmented
        value={snippet.name}
        options={snippets.map(({ name }) => ({ value: name, label: t(`snippet.${name}`) }))}
        onChange={setChosen}
      />
      <div className={css.code}>
        <pre dir="ltr">{text}</pre>
        <CopyButton value={text} />
      </div>
    </div>
  )
}
