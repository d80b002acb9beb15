import { kindOf, readScene, type Scene, type SceneNode } from '@thingwright/scene'
import { Alert, Button } from 'antd'
import { lazy, Suspense, startTransition, useCallback, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { Reply } from '../../../lib/api-client.ts'
import { errorFacts } from '../../../lib/errors.ts'
import { notify } from '../../../lib/notify.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { FrameSkeleton } from '../../../ui/frame-skeleton.tsx'
import { PastBar } from '../../../ui/scene/past-bar.tsx'
import { MOST_MOVING, SceneProvider, type SceneSurroundings } from '../../../ui/scene/scene-context.ts'
import { ValueStore } from '../../../ui/scene/value-store.ts'
import { ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { listed, STATE_KIND, usePageToEdit } from '../hooks.ts'
import { useExport } from '../list/use-export.ts'
import { pressed } from './commands.ts'
import { added } from './document.ts'
import css from './editor.module.css'
import { ToolIcon } from './icons.tsx'
import { Layers } from './layers.tsx'
import { Palette, useKindName } from './palette.tsx'
import { useDraftPast, useDraftValues } from './preview.ts'
import { Properties } from './properties.tsx'
import { Stage } from './stage.tsx'
import { createEditorStore, type EditorStore } from './store.ts'
import { Toolbar } from './toolbar.tsx'
import { useAutosave } from './use-autosave.ts'
import { useClipboard } from './use-clipboard.ts'

const PublishDialog = lazy(async () => ({ default: (await import('./publish-dialog.tsx')).PublishDialog }))
const VersionsDrawer = lazy(async () => ({ default: (await import('./versions-drawer.tsx')).VersionsDrawer }))

type Page = Reply<'cloudPages.get'>
const LIST = '/manage/user/center/cloudConfig'

/** The editor of one page. */
export function EditorPage({ id }: { id: string }) {
  const { t } = useTranslation('cloud-pages')
  const page = usePageToEdit(id)
  // What it began with: whatever is read meanwhile changes nothing under the hands.
  const [first, setFirst] = useState<{ page: Page; scene: Scene } | null>(null)
  const { data } = page
  const read = useMemo(() => (data && !first ? readScene(data.scene) : null), [data, first])
  if (data && read?.scene) setFirst({ page: data, scene: read.scene })
  if (page.isError) return <ErrorState error={page.error} onRetry={() => void page.refetch()} />
  if (read && !read.scene)
    return <Alert type="error" showIcon title={t('unreadable')} description={read.problems[0]?.path} />
  if (!first) return <FrameSkeleton />
  return <Editor page={first.page} scene={first.scene} />
}

function Editor({ page: began, scene: first }: { page: Page; scene: Scene }) {
  const { t, i18n } = useTranslation('cloud-pages')
  const navigate = useNavigate()
  const mayWrite = useMay('cloudPages.saveDraft')
  const [store] = useState<EditorStore>(() => createEditorStore(first))
  const { page, setPage, state, save, accept, overwrite, unfinished } = useAutosave(store, began, mayWrite)
  const exportPage = useExport()
  const [open, setOpen] = useState<'publish' | 'versions' | null>(null)
  const [values] = useState(() => new ValueStore())
  const live = useDraftValues(page.id)
  const mayLookBack = useMay('cloudPages.past')
  const past = useDraftPast(page.id)
  const [looksBack, setLooksBack] = useState(false)
  // The stage is drawn before the panels at its sides: the palette alone has three hundred pictures.
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => startTransition(() => setShown(true)))
    return () => clearTimeout(timer)
  }, [])
  const kindName = useKindName()
  usePageTitle(page.name)
  useClipboard(store, mayWrite)

  useEffect(() => {
    if (live) values.replace(live as never)
  }, [live, values])

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      if (event.key.toLowerCase() === 's' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        void save()
        return
      }
      if (target.closest('input, textarea, select, [contenteditable], [role="dialog"], [role="combobox"]')) return
      if (mayWrite && pressed(store, event)) event.preventDefault()
    }
    const onLeave = (event: BeforeUnloadEvent) => {
      if (
        store.getState().scene !== began.scene &&
        (state.kind === 'waiting' || state.kind === 'conflict' || state.kind === 'failed')
      )
        event.preventDefault()
    }
    window.addEventListener('keydown', onKey)
    window.addEventListener('beforeunload', onLeave)
    return () => {
      window.removeEventListener('keydown', onKey)
      window.removeEventListener('beforeunload', onLeave)
    }
  }, [store, mayWrite, save, state, began])

  const add = useCallback(
    (name: string, x?: number, y?: number) => {
      const kind = kindOf(name)
      if (!kind || !mayWrite) return
      const { scene, change, pan, zoom } = store.getState()
      const stage = document.querySelector<HTMLElement>('[data-testid="stage"]')
      const middle = stage
        ? { x: (stage.clientWidth / 2 - pan.x) / zoom, y: (stage.clientHeight / 2 - pan.y) / zoom }
        : { x: scene.width / 2, y: scene.height / 2 }
      const { scene: next, id } = added(scene, kind, x ?? middle.x, y ?? middle.y, kindName(kind))
      change(next, new Set([id]))
    },
    [store, mayWrite, kindName],
  )

  // Without what is under way: nothing here shows where an element is while it is dragged.
  const scene = store(now => now.scene)
  const { roles, hosts } = scene
  const crowded = scene.nodes.length > MOST_MOVING
  const selected = store(now => now.selected)
  const language = i18n.language === 'zh' ? 'zh' : 'en'
  const surroundings = useMemo<SceneSurroundings>(
    () => ({
      scene: { roles, hosts },
      crowded,
      store: past.at === null ? values : past.store,
      language,
      at: past.at,
      editing: true,
      happen: () => undefined,
      busy: () => false,
      givenUp: () => 0,
      series: async () => [],
      alarms: async () => [],
      choices: [],
      chooseDevice: () => undefined,
      person: null,
    }),
    [roles, hosts, crowded, values, language, past.at, past.store],
  )

  const theirs = useAct('cloudPages.get', {
    own: false,
    done: now => {
      const read = readScene(now.scene).scene
      if (!read) return
      store.getState().replace(read)
      accept(now, read)
    },
  })
  const { attempt } = useWork()
  const saveWords = {
    saved: t('save_.saved'),
    waiting: t('save_.waiting'),
    saving: t('save_.saving'),
    conflict: t('save_.conflict'),
    failed: t('save_.failed'),
  }[state.kind]
  const waiting = [...unfinished].flatMap(([id, count]) => {
    const node = scene.nodes.find(each => each.id === id)
    return node ? [t('unfinishedOf', { name: nameOf(node, kindName), count })] : []
  })
  return (
    <div className={css.editor} data-testid="page-editor">
      <header className={css.head}>
        <Button
          type="text"
          aria-label={t('back')}
          icon={<ToolIcon name="back" />}
          onClick={() => void save().then(() => navigate(LIST))}
        />
        <div className={css.titles}>
          <strong title={page.name}>
            {page.name} <StatusTag kind={STATE_KIND[page.state]}>{t(`states.${page.state}`)}</StatusTag>
          </strong>
          <span className={css.note} role="status">
            {page.publishedNo === null ? '' : `${t('publishedAs', { no: page.publishedNo })} · `}
            {saveWords}
            {waiting.length > 0 && (
              <span className={css.unfinished} title={listed(waiting)}>
                {` · ${t('unfinished', { count: waiting.length })}`}
              </span>
            )}
          </span>
        </div>
        <Toolbar store={store} mayWrite={mayWrite} onFit={() => fitStage(store)} />
        <Button
          onClick={() => void exportPage({ name: page.name, suffix: page.suffix, scene: store.getState().scene })}
        >
          {t('exportPage')}
        </Button>
        <Button onClick={() => setOpen('versions')}>{t('versions')}</Button>
        {mayWrite && (
          <Button type="primary" onClick={() => setOpen('publish')}>
            {t('publish')}
          </Button>
        )}
      </header>
      <div className={css.left}>
        {isShown && (
          <>
            <Palette onAdd={add} />
            <Layers store={store} mayWrite={mayWrite} />
          </>
        )}
      </div>
      <SceneProvider value={surroundings}>
        <Stage store={store} mayWrite={mayWrite} onDropKind={add} />
      </SceneProvider>
      {state.kind === 'conflict' && (
        <Alert
          className={css.banner ?? ''}
          style={{ gridArea: 'middle' }}
          type="warning"
          showIcon
          role="alert"
          title={t('conflictTitle', { name: state.by })}
          description={t('conflictText')}
          action={
            <>
              <Button size="small" onClick={() => void theirs.run({ params: { id: page.id } })}>
                {t('takeTheirs')}
              </Button>{' '}
              <Button size="small" danger onClick={() => void attempt(overwrite)}>
                {t('keepMine')}
              </Button>
            </>
          }
        />
      )}
      {state.kind === 'failed' && (
        <Alert
          className={css.banner ?? ''}
          style={{ gridArea: 'middle' }}
          type="error"
          showIcon
          role="alert"
          title={errorFacts(state.error).message}
          description={Object.entries((state.error as { fields?: Record<string, { message: string }> }).fields ?? {})
            .slice(0, 5)
            .map(([path, field]) => <div key={path}>{`${placeOf(scene, path, kindName)}: ${field.message}`}</div>)}
          action={
            <Button size="small" onClick={() => void save()}>
              {t('again')}
            </Button>
          }
        />
      )}
      {looksBack && (
        <div className={css.past}>
          <PastBar past={past} language={language} onClose={() => setLooksBack(false)} />
        </div>
      )}
      {isShown && <Properties store={store} mayWrite={mayWrite} />}
      <footer className={css.foot}>
        <span>{t('chosenCount', { count: selected.size })}</span>
        <span className={css.grow} />
        {mayLookBack && !looksBack && (
          <Button size="small" type="text" onClick={() => setLooksBack(true)}>
            {t('lookBack')}
          </Button>
        )}
        <span>{t('elementsCount', { count: scene.nodes.length })}</span>
        <span>{`${scene.width} × ${scene.height}`}</span>
      </footer>
      <Suspense>
        {open === 'publish' && (
          <PublishDialog
            page={page}
            beforehand={save}
            unfinished={waiting}
            onPublished={next => {
              accept(next, store.getState().scene)
              setPage(next)
            }}
            onClose={() => setOpen(null)}
          />
        )}
        {open === 'versions' && (
          <SceneProvider value={surroundings}>
            <VersionsDrawer
              id={page.id}
              mayWrite={mayWrite}
              draft={scene}
              nameOf={node => nameOf(node, kindName)}
              onRestored={next => {
                const read = readScene(next.scene).scene
                if (!read) return notify.error(t('unreadable'))
                store.getState().replace(read)
                accept(next, read)
                setOpen(null)
              }}
              onClose={() => setOpen(null)}
            />
          </SceneProvider>
        )}
      </Suspense>
    </div>
  )
}

/** An element as people know it. */
function nameOf(node: SceneNode, kindName: ReturnType<typeof useKindName>): string {
  const kind = kindOf(node.kind)
  return node.name || (kind ? kindName(kind) : node.kind)
}

/** The element that a path of the document is about, by its name. */
function placeOf(scene: Scene, path: string, kindName: ReturnType<typeof useKindName>): string {
  const place = /^scene\.nodes\.(\d+)\.(.*)$/.exec(path)
  const node = place ? scene.nodes[Number(place[1])] : undefined
  return node ? `${nameOf(node, kindName)} · ${place![2]}` : path.replace(/^scene\./, '')
}

/** The whole page in the window. */
function fitStage(store: EditorStore): void {
  const stage = document.querySelector<HTMLElement>('[data-testid="stage"]')
  if (!stage) return
  const { scene } = store.getState()
  const zoom = Math.min((stage.clientWidth - 60) / scene.width, (stage.clientHeight - 60) / scene.height)
  store.setState({
    zoom,
    pan: { x: (stage.clientWidth - scene.width * zoom) / 2, y: (stage.clientHeight - scene.height * zoom) / 2 },
  })
}
