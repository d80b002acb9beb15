import { Alert } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Reply } from '../../../lib/api-client.ts'
import { formatDateTime } from '../../../lib/format.ts'
import { hexDump } from '../../../ui/hex.ts'
import { StatusTag } from '../../../ui/status-tag.tsx'
import products from '../products.module.css'
import css from './format.module.css'

/** What would become of a frame or a command. */
export function TryResult({ result }: { result: Reply<'formats.tryFormat'> }) {
  const { t } = useTranslation('payload-format')
  return (
    <>
      {result.ok ? (
        <StatusTag kind="success">
          {result.frames.length > 0
            ? t('wouldSend', { count: result.frames.length })
            : result.rows.length === 0
              ? t('saysNothing')
              : t('wouldTake', { count: result.rows.length })}
        </StatusTag>
      ) : (
        <Alert
          type="error"
          showIcon
          title={t(`reason.${result.reason ?? 'other'}`, { defaultValue: result.reason ?? '' })}
          description={
            <>
              {result.path && (
                <div>
                  {t('at')} <code>{result.path}</code>
                </div>
              )}
              {typeof result.detail === 'string' && <div>{result.detail}</div>}
            </>
          }
        />
      )}
      {result.unknown.length > 0 && (
        <p className={css.unknown} data-testid="try-unknown">
          {t('unknownKeys', { count: result.unknown.length })}{' '}
          {result.unknown.map((key, at) => (
            <span key={key}>
              {at > 0 && ' · '}
              <code>{key}</code>
            </span>
          ))}
        </p>
      )}
      {result.leftOut.length > 0 && (
        <ul className={css.unknown} data-testid="try-left-out">
          {result.leftOut.map(({ reason, path, detail }) => (
            <li key={`${reason}/${path}`}>
              {t('leftOut')} <code>{path || '–'}</code> · {t(`reason.${reason}`, { defaultValue: reason })} · {detail}
            </li>
          ))}
        </ul>
      )}
      {result.tookMs !== null && <span className={css.quiet}> {t('took', { ms: result.tookMs })}</span>}
      {result.rows.map((row, at) => (
        // Rows of an answer have no identity but their place.
        <div key={`${row.ts}/${at}`} className={css.resultRow}>
          <div className={products.resultTime}>
            {[
              formatDateTime(row.ts, { millis: true }),
              t(`quality.${row.quality}`),
              ...(row.event ? [`${t('event')} ${row.event}`] : []),
              ...(row.sub ? [`${t('subDevice')} ${row.sub}`] : []),
            ].join(' · ')}
          </div>
          <table className={products.values}>
            <tbody>
              {Object.entries(row.values).map(([identifier, value]) => (
                <tr key={identifier}>
                  <th scope="row">{identifier}</th>
                  <td>{JSON.stringify(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ))}
      {result.frames.map((frame, at) => (
        <pre key={`${frame.hex}/${at}`} className={css.logs} dir="ltr">
          {hexDump(frame.hex)}
        </pre>
      ))}
      {result.logs.length > 0 && (
        <pre className={css.logs} title={t('logs')}>
          {result.logs.join('\n')}
        </pre>
      )}
    </>
  )
}
