import { readScene, type Scene } from '@thingwright/scene'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Reply } from '../../../lib/api-client.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { FrameSkeleton } from '../../../ui/frame-skeleton.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { SceneProvider, type SceneSurroundings } from '../../../ui/scene/scene-context.ts'
import { SceneStage } from '../../../ui/scene/scene-view.tsx'
import { ValueStore } from '../../../ui/scene/value-store.ts'
import { ErrorState } from '../../../ui/states.tsx'
import { useDraftValues } from './preview.ts'

/** One page with the values of its devices. */
export function EditorPage({ id }: { id: string }) {
  const page = useRead('cloudPages.get', { params: { id } })
  if (page.isError) return <ErrorState error={page.error} onRetry={() => void page.refetch()} />
  if (!page.data) return <FrameSkeleton />
  const { scene } = readScene(page.data.scene)
  return scene ? <Preview page={page.data} scene={scene} /> : <ErrorState error={new Error(page.data.name)} />
}

function Preview({ page, scene }: { page: Reply<'cloudPages.get'>; scene: Scene }) {
  const { t, i18n } = useTranslation('cloud-pages')
  const [store] = useState(() => new ValueStore())
  const values = useDraftValues(page.id)
  useEffect(() => {
    if (values) store.replace(values as never)
  }, [values, store])
  const surroundings = useMemo<SceneSurroundings>(
    () => ({
      scene,
      store,
      language: i18n.language === 'zh' ? 'zh' : 'en',
      editing: true,
      happen: () => undefined,
      busy: () => false,
      series: async () => [],
      alarms: async () => [],
      choices: [],
      chooseDevice: () => undefined,
    }),
    [scene, store, i18n.language],
  )
  return (
    <>
      <PageHeader title={page.name} crumbs={[{ title: t('title'), to: '/manage/user/center/cloudConfig' }]} />
      <SceneProvider value={surroundings}>
        <SceneStage scene={scene} fit="width" opened={NOTHING} />
      </SceneProvider>
    </>
  )
}

const NOTHING: ReadonlySet<string> = new Set()
