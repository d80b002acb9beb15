import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatBytes, formatNumber } from '../../../lib/format.ts'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { CodeBox } from '../components/code-box.tsx'
import { saveText } from '../components/save-text.ts'
import css from '../developer.module.css'
import own from './explorer.module.css'
import type { TriedReply } from './send-request.ts'

/** What came back: status, time and size, the body readable or as a file, the headers. */
export function ReplyView({ reply }: { reply: TriedReply }) {
  const { t } = useTranslation('developer')
  const name = reply.headers.find(([header]) => header === 'content-disposition')?.[1]
  const fileName = /filename="?([^";]+)/.exec(name ?? '')?.[1] ?? 'reply'
  return (
    <section className={own.reply} aria-label={t('explorer.replyTitle')} data-testid="reply">
      <p className={own.replyHead} role="status">
        <StatusTag kind={reply.status < 300 ? 'success' : reply.status < 500 ? 'warning' : 'error'}>
          {reply.status} {reply.statusText}
        </StatusTag>
        <span className={css.quiet}>
          {formatNumber(Math.round(reply.durationMs), { unit: 'ms' })} · {formatBytes(reply.size)}
        </span>
        {reply.size > 0 && (reply.text === null || reply.cut) && (
          <Button size="small" onClick={() => saveText(fileName, reply.blob)}>
            {t('explorer.save')}
          </Button>
        )}
      </p>
      {reply.text !== null && reply.text !== '' && (
        <CodeBox
          label={t('explorer.replyTitle')}
          text={reply.text}
          tall
          head={reply.cut ? <span className={css.quiet}>{t('explorer.cut')}</span> : undefined}
        />
      )}
      <details className={own.headers}>
        <summary>{t('explorer.headers', { count: reply.headers.length })}</summary>
        <dl>
          {reply.headers.map(([header, value]) => (
            <div key={header}>
              <dt>{header}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  )
}
