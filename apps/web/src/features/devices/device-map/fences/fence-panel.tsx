import type { GeofenceView } from '@thingwright/contracts/geofences.contract'
import { FENCE_KINDS } from '@thingwright/contracts/geofences.words'
import { Button, Drawer, Modal, Skeleton, Switch } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '../../../../lib/format.ts'
import type { Place } from '../../../../ui/map/projection.ts'
import { SearchField } from '../../../../ui/search-field.tsx'
import { EmptyState, ErrorState } from '../../../../ui/states.tsx'
import { FenceForm } from './fence-form.tsx'
import css from './fences.module.css'
import type { Fences } from './use-fences.ts'

/** The fences of the company beside the map: find, draw, change, switch off, remove. */
export function FencePanel({
  fences,
  middle,
  onShow,
  onClose,
}: {
  fences: Fences
  /** Of the map as it is seen. */
  middle: Place
  onShow: (fence: GeofenceView) => void
  onClose: () => void
}) {
  const { t } = useTranslation('device-map')
  const [removing, setRemoving] = useState<GeofenceView | null>(null)
  const { draft, read, mayWrite, saving } = fences
  const title = draft ? t(draft.fence ? 'fence.editTitle' : 'fence.newTitle') : t('fence.title')
  return (
    <Drawer
      open
      mask={false}
      size={440}
      title={title}
      onClose={() => {
        fences.cancel()
        onClose()
      }}
    >
      {draft ? (
        <FenceForm
          draft={draft}
          fields={saving.fields}
          error={saving.error}
          busy={saving.pending}
          onChange={fences.change}
          onSave={fences.save}
          onCancel={fences.cancel}
        />
      ) : (
        <>
          <div className={css.tools}>
            <SearchField value={fences.q} label={t('fence.search')} onChange={fences.setQ} />
            {mayWrite &&
              FENCE_KINDS.map(kind => (
                <Button key={kind} onClick={() => fences.begin(kind, middle)}>
                  {t(`fence.new.${kind}`)}
                </Button>
              ))}
          </div>
          {read.isPending && <Skeleton active />}
          {read.isError && !read.data && <ErrorState error={read.error} onRetry={() => void read.refetch()} />}
          {read.data?.items.length === 0 && (
            <EmptyState
              title={t(fences.q.trim() === '' ? 'fence.none' : 'fence.noneFound')}
              description={t(mayWrite ? 'fence.noneText' : 'fence.noneToSee')}
            />
          )}
          <ul className={css.list}>
            {read.data?.items.map(fence => (
              <Row
                key={fence.id}
                fence={fence}
                fences={fences}
                onShow={() => onShow(fence)}
                onEdit={() => {
                  onShow(fence)
                  fences.edit(fence, middle)
                }}
                onRemove={() => setRemoving(fence)}
              />
            ))}
          </ul>
          {read.data?.nextCursor && (
            <p>{t('fence.more', { shown: read.data.items.length, count: read.data.total ?? 0 })}</p>
          )}
        </>
      )}
      {removing && (
        <Modal
          open
          width={420}
          title={t('fence.removeTitle')}
          okText={t('fence.remove')}
          cancelText={t('fence.cancel')}
          okButtonProps={{ danger: true, loading: fences.remove.pending }}
          onOk={async () => {
            if (await fences.remove.run({ params: { id: removing.id } })) setRemoving(null)
          }}
          onCancel={() => setRemoving(null)}
        >
          <p dir="auto">{t('fence.removeText', { name: removing.name })}</p>
          {removing.triggers > 0 && <p>{t('fence.removeTriggers', { count: removing.triggers })}</p>}
        </Modal>
      )}
    </Drawer>
  )
}

function Row({
  fence,
  fences,
  onShow,
  onEdit,
  onRemove,
}: {
  fence: GeofenceView
  fences: Fences
  onShow: () => void
  onEdit: () => void
  onRemove: () => void
}) {
  const { t } = useTranslation('device-map')
  const { name, shape } = fence
  const size =
    shape.kind === 'circle'
      ? t('fence.circleOf', { text: formatNumber(shape.radius) })
      : t('fence.polygonOf', { count: shape.points?.length ?? 0 })
  const scope = fence.scope ? fence.scopeNames.map(each => each ?? '–').join(' / ') : t('fence.scopes.all')
  return (
    <li className={css.item}>
      <i className={css.swatch} style={{ background: fence.colour }} aria-hidden />
      <Button type="link" className={css.name ?? ''} onClick={onShow} title={t('fence.show', { name })}>
        {name}
      </Button>
      <Switch
        size="small"
        checked={fence.enabled}
        disabled={!fences.mayWrite}
        loading={fences.toggle.pending}
        aria-label={t('fence.enableOne', { name })}
        onChange={(enabled: boolean) =>
          void fences.toggle.run({ params: { id: fence.id }, body: { version: fence.version, enabled } })
        }
      />
      <span className={css.facts}>
        {t('fence.inside', { count: fence.inside ?? 0 })} · {size} · {scope}
        {fence.triggers > 0 && (
          <>
            {' · '}
            <Link to="/manage/user/center/trigger?kind=general">{t('fence.triggers', { count: fence.triggers })}</Link>
          </>
        )}
        {fence.remark !== '' && (
          <>
            <br />
            {fence.remark}
          </>
        )}
      </span>
      {fences.mayWrite && (
        <span className={css.acts}>
          <Button size="small" type="text" aria-label={t('fence.editOne', { name })} onClick={onEdit}>
            {t('fence.edit')}
          </Button>
          <Button size="small" type="text" danger aria-label={t('fence.removeOne', { name })} onClick={onRemove}>
            {t('fence.remove')}
          </Button>
        </span>
      )}
    </li>
  )
}
