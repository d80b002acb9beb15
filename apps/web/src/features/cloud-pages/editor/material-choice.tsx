import { PictureOutlined } from '@ant-design/icons'
import type { MediaView } from '@thingwright/contracts/media.contract'
import { Alert, Button, Input, Modal, Spin } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { errorFacts, isSilent } from '../../../lib/errors.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { uploadFile } from '../../../lib/upload.ts'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import css from './editor.module.css'

type Kind = 'image' | 'video'

/** Opens the person's own materials and gives the lasting address of the chosen one. */
export function MaterialChoice({
  kind,
  disabled,
  onChange,
}: {
  kind: Kind
  disabled: boolean
  onChange(address: string): void
}) {
  const { t } = useTranslation('cloud-pages')
  const allowed = useMay('media.list')
  const [open, setOpen] = useState(false)
  if (!allowed) return null
  return (
    <>
      <Button
        size="small"
        icon={<PictureOutlined aria-hidden />}
        disabled={disabled}
        aria-label={t('material.choose')}
        title={t('material.choose')}
        onClick={() => setOpen(true)}
      />
      {open && (
        <Materials
          kind={kind}
          onClose={() => setOpen(false)}
          onChosen={address => {
            setOpen(false)
            onChange(address)
          }}
        />
      )}
    </>
  )
}

function Materials({ kind, onChosen, onClose }: { kind: Kind; onChosen(address: string): void; onClose(): void }) {
  const { t } = useTranslation('cloud-pages')
  const cache = useCache()
  const mayWrite = useMay('media.update')
  const [q, setQ] = useState('')
  const [of, setOf] = useState<Kind | 'svg'>(kind)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const query = { kind: of, limit: 60, ...(q.trim() === '' ? {} : { q: q.trim() }) }
  const found = useRead('media.list', { query }, { keep: true })
  const run = async (work: () => Promise<void>) => {
    setBusy(true)
    setProblem('')
    try {
      await work()
    } catch (error) {
      if (!isSilent(error)) setProblem(errorFacts(error).message)
    }
    setBusy(false)
  }
  // Visitors load it without an account, so its plain address must work.
  const choose = (media: MediaView) =>
    run(async () => {
      if (!media.public)
        await call('media.update', { params: { id: media.id }, body: { version: media.version, public: true } })
      void cache.touch('media')
      onChosen(`/media/${media.id}`)
    })
  const add = (file: File) =>
    run(async () => {
      const made = await uploadFile<MediaView>({
        method: 'POST',
        url: '/api/v1/media',
        fields: {},
        file,
        signal: new AbortController().signal,
        onProgress: () => undefined,
      })
      void cache.touch('media')
      if (made.kind === kind || (kind === 'image' && made.kind === 'svg')) setOf(made.kind as Kind | 'svg')
    })
  const items = found.data?.items ?? []
  return (
    <Modal open width={640} title={t('material.title')} footer={null} onCancel={onClose}>
      <p className={css.note}>{t('material.publicText')}</p>
      <div className={css.materialTools}>
        <Input.Search
          allowClear
          aria-label={t('material.search')}
          placeholder={t('material.search')}
          onSearch={setQ}
          maxLength={64}
        />
        {kind === 'image' &&
          (['image', 'svg'] as const).map(each => (
            <Button key={each} type={of === each ? 'primary' : 'default'} onClick={() => setOf(each)}>
              {t(`material.kinds.${each}`)}
            </Button>
          ))}
        {mayWrite && (
          <Button loading={busy} onClick={() => input.current?.click()}>
            {t('material.upload')}
          </Button>
        )}
      </div>
      {problem !== '' && <Alert type="error" showIcon role="alert" title={problem} />}
      {found.isError ? (
        <ErrorState error={found.error} onRetry={() => void found.refetch()} />
      ) : found.data === undefined ? (
        <Spin />
      ) : items.length === 0 ? (
        <EmptyState title={t('material.none')} />
      ) : (
        <ul className={css.materials}>
          {items.map(media => (
            <li key={media.id}>
              <button
                type="button"
                disabled={busy || (!mayWrite && !media.public)}
                title={media.name}
                onClick={() => void choose(media)}
              >
                {media.thumbUrl ? <img src={media.thumbUrl} alt="" loading="lazy" /> : <PictureOutlined aria-hidden />}
                <span dir="auto">{media.name}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {found.data?.nextCursor != null && <p className={css.note}>{t('material.more')}</p>}
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t('material.upload')}
        accept={kind === 'image' ? 'image/*' : 'video/*'}
        onChange={event => {
          const [file] = event.target.files ?? []
          event.target.value = ''
          if (file) void add(file)
        }}
      />
    </Modal>
  )
}
