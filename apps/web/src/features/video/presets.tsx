import { DeleteOutlined } from '@ant-design/icons'
import { Button, Input, Modal, Popconfirm, Skeleton } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import css from './video.module.css'

/** Positions of a camera that were stored: gone to, stored, forgotten. */
export function Presets({ id, disabled }: { id: string; disabled: boolean }) {
  const { t } = useTranslation('video')
  const mayControl = useMay('videoChannels.goPreset')
  const read = useRead('videoChannels.presets', { params: { id } })
  const go = useAct('videoChannels.goPreset', { own: false, done: () => notify.success(t('preset.gone')) })
  const remove = useAct('videoChannels.removePreset', { done: () => notify.success(t('removed')) })
  const [adding, setAdding] = useState(false)
  const items = read.data?.items ?? []
  return (
    <section className={css.presets} aria-label={t('preset.title')}>
      <header className={css.between}>
        <h3 className={css.small}>{t('preset.title')}</h3>
        {mayControl && (
          <Button size="small" disabled={disabled} onClick={() => setAdding(true)}>
            {t('preset.add')}
          </Button>
        )}
      </header>
      {read.isPending ? (
        <Skeleton active title={false} paragraph={{ rows: 2 }} />
      ) : read.isError ? (
        <p className={css.fault}>{errorFacts(read.error).message}</p>
      ) : items.length === 0 ? (
        <p className={css.quiet}>{t('preset.empty')}</p>
      ) : (
        <ul className={css.presetList}>
          {items.map(preset => (
            <li key={preset.id} className={css.between}>
              <button
                type="button"
                className={css.presetGo}
                disabled={disabled || !mayControl || go.pending}
                title={preset.name}
                dir="auto"
                onClick={() => void go.run({ params: { id, presetId: preset.id } })}
              >
                {preset.name}
              </button>
              {mayControl && (
                <Popconfirm
                  title={t('preset.removeTitle', { name: preset.name })}
                  okText={t('remove')}
                  cancelText={t('cancel')}
                  onConfirm={() => void remove.run({ params: { id, presetId: preset.id } })}
                >
                  <Button
                    type="text"
                    size="small"
                    aria-label={t('preset.removeOf', { name: preset.name })}
                    icon={<DeleteOutlined aria-hidden />}
                  />
                </Popconfirm>
              )}
            </li>
          ))}
        </ul>
      )}
      {adding && <AddPreset id={id} onClose={() => setAdding(false)} />}
    </section>
  )
}

function AddPreset({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation('video')
  const field = useId()
  const [name, setName] = useState('')
  const add = useAct('videoChannels.addPreset', {
    done: () => {
      notify.success(t('saved'))
      onClose()
    },
  })
  const save = () => {
    if (name.trim() !== '') void add.run({ params: { id }, body: { name: name.trim() } })
  }
  return (
    <Modal
      open
      width={400}
      title={t('preset.add')}
      okText={t('save')}
      cancelText={t('cancel')}
      okButtonProps={{ loading: add.pending, disabled: name.trim() === '' }}
      onOk={save}
      onCancel={onClose}
    >
      <div className={css.stackSmall}>
        <p className={css.plain}>{t('preset.addText')}</p>
        <label htmlFor={field}>{t('name')}</label>
        <Input
          id={field}
          value={name}
          maxLength={64}
          onChange={event => setName(event.target.value)}
          onPressEnter={save}
        />
      </div>
    </Modal>
  )
}
