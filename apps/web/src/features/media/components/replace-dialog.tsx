import type { MediaKind, MediaView } from '@thingwright/contracts/media.contract'
import { Alert, Button, Modal, Progress } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { notify } from '../../../lib/notify.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { uploadFile } from '../../../lib/upload.ts'
import css from '../media.module.css'

/** What the file chooser offers for a kind; the server looks at the bytes. */
const ACCEPT: Record<MediaKind, string> = {
  image: 'image/png,image/jpeg,image/webp,image/gif,image/avif',
  svg: 'image/svg+xml,.svg',
  audio: 'audio/*',
  video: 'video/mp4,video/webm,video/ogg,video/quicktime',
  file: '',
}

/** Gives a material other bytes: its id, its links and whoever uses it stay. */
export function ReplaceDialog({ media, onClose }: { media: MediaView; onClose: () => void }) {
  const { t } = useTranslation('media')
  const { attempt, error: failure } = useWork({ touches: ['media'], always: true, notice: false })
  const input = useRef<HTMLInputElement>(null)
  const stop = useRef(new AbortController())
  const [progress, setProgress] = useState<number | null>(null)
  useEffect(() => () => stop.current.abort(), [])

  const send = async (file: File) => {
    stop.current = new AbortController()
    setProgress(0)
    await attempt(async () => {
      await uploadFile({
        method: 'PUT',
        url: `/api/v1/media/${media.id}/content`,
        fields: { version: String(media.version) },
        file,
        signal: stop.current.signal,
        onProgress: (loaded, total) => setProgress(total > 0 ? loaded / total : 0),
      })
      notify.success(t('replaced'))
      onClose()
    })
    setProgress(null)
  }
  return (
    <Modal
      open
      width={480}
      title={t('replaceTitle', { name: media.name })}
      onCancel={onClose}
      maskClosable={progress === null}
      footer={<Button onClick={onClose}>{t('cancel')}</Button>}
    >
      {failure !== null && (
        <Alert className={css.alert ?? ''} type="error" showIcon role="alert" title={errorFacts(failure).message} />
      )}
      <p className={css.text}>{t('replaceText', { kind: t(`kind.${media.kind}`), count: media.uses })}</p>
      {progress === null ? (
        <Button type="primary" onClick={() => input.current?.click()}>
          {t('chooseFile')}
        </Button>
      ) : (
        <Progress percent={Math.round(progress * 100)} status="active" aria-label={t('uploading')} />
      )}
      <input
        ref={input}
        type="file"
        hidden
        accept={ACCEPT[media.kind]}
        aria-label={t('chooseFile')}
        onChange={event => {
          const file = event.target.files?.[0]
          event.target.value = ''
          if (file) void send(file)
        }}
      />
    </Modal>
  )
}
