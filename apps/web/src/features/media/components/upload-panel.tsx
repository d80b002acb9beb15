import { CheckCircleFilled, CloseOutlined, ExclamationCircleFilled, ReloadOutlined } from '@ant-design/icons'
import { Button, Progress } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '../../../lib/format.ts'
import css from '../media.module.css'
import { cancelUpload, clearUploads, retryUpload, type UploadItem, useUploads } from '../upload-queue.ts'

/** What is on its way and what became of it, at the foot of the page. */
export function UploadPanel() {
  const { t } = useTranslation('media')
  const items = useUploads(s => s.items)
  const [folded, setFolded] = useState(false)
  if (items.length === 0) return null
  const open = items.filter(item => item.state === 'waiting' || item.state === 'sending').length
  const failed = items.filter(item => item.state === 'failed').length
  const done = items.filter(item => item.state === 'done').length
  return (
    <section className={css.uploads} aria-label={t('uploads')}>
      <header className={css.uploadsHead}>
        <strong aria-live="polite">
          {open > 0
            ? t('uploadsRunning', { done, total: items.length })
            : failed > 0
              ? t('uploadsFailed', { done, failed })
              : t('uploadsDone', { done })}
        </strong>
        <span>
          <Button type="text" size="small" onClick={() => setFolded(!folded)} aria-expanded={!folded}>
            {folded ? t('unfold') : t('fold')}
          </Button>
          {open === 0 && (
            <Button
              type="text"
              size="small"
              icon={<CloseOutlined aria-hidden />}
              aria-label={t('close')}
              onClick={clearUploads}
            />
          )}
        </span>
      </header>
      {!folded && (
        <ul className={css.uploadList}>
          {items.map(item => (
            <UploadLine key={item.key} item={item} />
          ))}
        </ul>
      )}
    </section>
  )
}

function UploadLine({ item }: { item: UploadItem }) {
  const { t } = useTranslation('media')
  const running = item.state === 'waiting' || item.state === 'sending'
  return (
    <li className={css.uploadLine}>
      <span className={css.uploadName} title={item.file.name} dir="auto">
        {item.file.name}
      </span>
      <span className={css.hint}>{formatBytes(item.file.size)}</span>
      {item.state === 'done' && <CheckCircleFilled className={css.doneIcon ?? ''} aria-label={t('uploadState.done')} />}
      {running && (
        <Button
          type="text"
          size="small"
          icon={<CloseOutlined aria-hidden />}
          aria-label={t('cancelUpload', { name: item.file.name })}
          onClick={() => cancelUpload(item.key)}
        />
      )}
      {(item.state === 'failed' || item.state === 'cancelled') && (
        <Button
          type="text"
          size="small"
          icon={<ReloadOutlined aria-hidden />}
          aria-label={t('retryUpload', { name: item.file.name })}
          onClick={() => retryUpload(item.key)}
        />
      )}
      {item.state === 'sending' && (
        <Progress
          className={css.uploadBar ?? ''}
          percent={Math.round(item.progress * 100)}
          size="small"
          status="active"
          aria-label={item.file.name}
        />
      )}
      {(item.state === 'waiting' || item.state === 'cancelled') && (
        <span className={css.uploadNote}>{t(`uploadState.${item.state}`)}</span>
      )}
      {item.state === 'failed' && (
        <span className={css.uploadError} role="alert">
          <ExclamationCircleFilled aria-hidden /> {item.error}
        </span>
      )}
    </li>
  )
}
