import type { Scene, SceneNode } from '@thingwright/scene'
import { Button, Drawer } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Reply } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { personName } from '../../../lib/person-name.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { ErrorState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../cloud-pages.module.css'
import { CompareDialog } from './compare-dialog.tsx'

/** What was published, with what was different; any of them can be made the draft again. */
export function VersionsDrawer({
  id,
  mayWrite,
  draft,
  nameOf,
  onRestored,
  onClose,
}: {
  id: string
  mayWrite: boolean
  draft: Scene
  nameOf(node: SceneNode): string
  onRestored(page: Reply<'cloudPages.restore'>): void
  onClose(): void
}) {
  const { t } = useTranslation('cloud-pages')
  const versions = useRead('cloudPages.versions', { params: { id }, query: { limit: 100 } })
  const [compared, setCompared] = useState<number | null>(null)
  const restore = useAct('cloudPages.restore', {
    done: page => {
      notify.success(t('restored'))
      onRestored(page)
    },
  })
  return (
    <Drawer open size={480} title={t('versions')} onClose={onClose}>
      {versions.isError && <ErrorState error={versions.error} onRetry={() => void versions.refetch()} />}
      {versions.data?.items.length === 0 && <p className={css.note}>{t('noVersions')}</p>}
      <ul className={css.links}>
        {versions.data?.items.map(version => (
          <li key={version.no}>
            <span className={css.grow}>
              <strong>{`v${version.no}`}</strong> {version.note}
              {version.current && <span className={css.note}> · {t('currentVersion')}</span>}
              <br />
              <span className={css.note}>
                {personName(version.byName)} · <TimeText value={version.createdAt} /> ·{' '}
                {t('difference', { added: version.added, changed: version.changed, removed: version.removed })}
              </span>
            </span>
            <Button
              size="small"
              aria-label={t('compareOf', { no: version.no })}
              onClick={() => setCompared(version.no)}
            >
              {t('compare')}
            </Button>
            {mayWrite && (
              <Button
                size="small"
                loading={restore.pending}
                aria-label={t('restoreOf', { no: version.no })}
                onClick={() => void restore.run({ params: { id, no: version.no } })}
              >
                {t('restore')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {compared !== null && (
        <CompareDialog
          id={id}
          first={compared}
          versions={versions.data?.items.map(({ no }) => no) ?? []}
          draft={draft}
          nameOf={nameOf}
          onClose={() => setCompared(null)}
        />
      )}
    </Drawer>
  )
}
