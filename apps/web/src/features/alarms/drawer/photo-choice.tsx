import { PlusOutlined } from '@ant-design/icons'
import type { MediaView } from '@thingwright/contracts/media.contract'
import { Button } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts, isSilent } from '../../../lib/errors.ts'
import { useMay } from '../../../lib/permissions.ts'
import { uploadFile } from '../../../lib/upload.ts'
import css from '../alarms.module.css'

const MAX_PHOTOS = 9

/** Photos beside a result: they become materials of the company as they are chosen. */
export function PhotoChoice({ value, onChange }: { value: readonly string[]; onChange: (ids: string[]) => void }) {
  const { t } = useTranslation('alarms')
  const allowed = useMay('media.upload')
  const input = useRef<HTMLInputElement>(null)
  const stop = useRef(new AbortController())
  const [shown, setShown] = useState<readonly MediaView[]>([])
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    const controller = new AbortController()
    stop.current = controller
    return () => controller.abort()
  }, [])
  if (!allowed) return null
  const add = async (files: readonly File[]) => {
    setBusy(true)
    setProblem('')
    const added: MediaView[] = []
    try {
      for (const file of files.slice(0, MAX_PHOTOS - value.length))
        added.push(
          await uploadFile<MediaView>({
            method: 'POST',
            url: '/api/v1/media',
            fields: { expect: 'image' },
            file,
            signal: stop.current.signal,
            onProgress: () => undefined,
          }),
        )
    } catch (error) {
      if (!stop.current.signal.aborted && !isSilent(error)) setProblem(errorFacts(error).message)
    }
    setBusy(false)
    setShown(now => [...now, ...added])
    if (added.length > 0) onChange([...value, ...added.map(each => each.id)])
  }
  return (
    <div className={css.field}>
      <span>{t('photos')}</span>
      <div className={css.photos}>
        {shown
          .filter(each => value.includes(each.id))
          .map(each => (
            <button
              key={each.id}
              type="button"
              className={css.photo}
              title={t('removePhoto', { name: each.name })}
              aria-label={t('removePhoto', { name: each.name })}
              onClick={() => onChange(value.filter(id => id !== each.id))}
            >
              <img src={each.thumbUrl ?? each.url} alt="" />
            </button>
          ))}
        {value.length < MAX_PHOTOS && (
          <Button icon={<PlusOutlined aria-hidden />} loading={busy} onClick={() => input.current?.click()}>
            {t('addPhoto')}
          </Button>
        )}
      </div>
      <input
        ref={input}
        type="file"
        accept="image/*"
        multiple
        hidden
        aria-label={t('addPhoto')}
        onChange={event => {
          const files = [...(event.target.files ?? [])]
          event.target.value = ''
          void add(files)
        }}
      />
      {problem !== '' && (
        <span className={css.complaint} role="alert">
          {problem}
        </span>
      )}
    </div>
  )
}
