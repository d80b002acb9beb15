import type { CallDetail } from '@thingwright/contracts/developer.contract'
import { Alert, Drawer, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatBytes, formatDateTime, formatNumber } from '../../../lib/format.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { CodeBox } from '../components/code-box.tsx'
import css from '../developer.module.css'
import { useCall } from '../hooks.ts'
import { statusKind } from './call-status.ts'
import own from './calls.module.css'

/** Of a body the server keeps so much. */
const KEPT_BYTES = 8192

/** One call with what was sent and answered; secrets are masked by the server. */
export function CallDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation('developer')
  const call = useCall(id)
  return (
    <Drawer open size={720} title={t('calls.one')} onClose={onClose} data-testid="call-drawer">
      {call.isError ? (
        <ErrorState error={call.error} onRetry={() => void call.refetch()} />
      ) : call.data ? (
        <Body call={call.data} />
      ) : (
        <Skeleton active paragraph={{ rows: 8 }} />
      )}
    </Drawer>
  )
}

function Body({ call }: { call: CallDetail }) {
  const { t } = useTranslation('developer')
  return (
    <>
      <Facts
        items={[
          { label: t('calls.request'), value: <CopyId value={`${call.method} ${call.path}`} />, wide: true },
          {
            label: t('calls.result'),
            value: (
              <StatusTag kind={statusKind(call.status)}>
                {call.status} {call.code ?? ''}
              </StatusTag>
            ),
          },
          { label: t('calls.duration'), value: formatNumber(call.durationMs, { decimals: 1, unit: 'ms' }) },
          { label: t('calls.at'), value: formatDateTime(call.at, { millis: true }) },
          { label: t('calls.key'), value: call.keyName },
          { label: t('calls.from'), value: call.ip },
          { label: t('calls.requestId'), value: <CopyId value={call.requestId} /> },
          { label: t('calls.client'), value: call.userAgent || '–', wide: true },
        ]}
      />
      {call.bodiesHidden ? (
        <Alert className={css.alert ?? ''} type="info" showIcon title={t('calls.hidden')} />
      ) : (
        <>
          <Sent title={t('calls.sent')} body={call.requestBody} bytes={call.requestBytes} />
          <Sent title={t('calls.answer')} body={call.responseBody} bytes={call.responseBytes} />
        </>
      )}
    </>
  )
}

function Sent({ title, body, bytes }: { title: string; body: string | null; bytes: number }) {
  const { t } = useTranslation('developer')
  const note =
    bytes === 0
      ? t('calls.noBody')
      : body === null
        ? t('calls.notText')
        : bytes > KEPT_BYTES
          ? t('calls.beginning')
          : ''
  return (
    <section className={own.sent}>
      <h3>
        {title} <small>{bytes > 0 ? formatBytes(bytes) : ''}</small>
      </h3>
      {note && <p className={css.quiet}>{note}</p>}
      {body !== null && <CodeBox label={title} text={pretty(body)} tall />}
    </section>
  )
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
