import type { SceneView, TimedAction } from '@thingwright/contracts/timed-tasks.contract'
import { Button, Drawer, Input } from 'antd'
import { useId, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import { freshCommand } from '../draft.ts'
import { Steps } from '../editor/steps.tsx'
import { Complaint, ProblemsProvider, problemsOf } from '../problems.tsx'
import css from '../timed-tasks.module.css'

/** Makes a scene or changes one. */
export function SceneDrawer({
  scene,
  deviceId,
  onClose,
}: {
  scene: SceneView | null
  deviceId: string | null
  onClose: () => void
}) {
  const { t } = useTranslation('timed-tasks')
  const id = useId()
  const [name, setName] = useState(scene?.name ?? '')
  const [actions, setActions] = useState<TimedAction[]>(scene?.actions ?? [freshCommand(deviceId ?? undefined)])
  const [begin] = useState(JSON.stringify([name, actions]))
  const [failure, setFailure] = useState<unknown>(null)
  const create = useAct('scenes.create', { touches: ['timedTasks'] })
  const update = useAct('scenes.update', { touches: ['timedTasks'] })
  const guard = useUnsavedGuard(JSON.stringify([name, actions]) !== begin)
  const problems = useMemo(() => problemsOf(failure), [failure])
  const save = async () => {
    setFailure(null)
    const body = { name: name.trim(), actions }
    try {
      if (scene) await update.send({ params: { id: scene.id }, body: { ...body, version: scene.version } })
      else await create.send({ body })
      notify.success(t('sceneSaved', { name: body.name }))
      onClose()
    } catch (error) {
      setFailure(error)
    }
  }
  return (
    <Drawer
      open
      size={560}
      title={t(scene ? 'editScene' : 'addScene')}
      onClose={() => guard.ask(onClose)}
      footer={
        <div className={css.foot}>
          <Button onClick={() => guard.ask(onClose)}>{t('cancel')}</Button>
          <Button
            type="primary"
            loading={create.pending || update.pending}
            disabled={name.trim() === ''}
            onClick={() => void save()}
          >
            {t('save')}
          </Button>
        </div>
      }
    >
      <ProblemsProvider value={problems}>
        <div className={css.stack}>
          {failure !== null && <FormAlert error={failure} />}
          <div className={css.field}>
            <label htmlFor={`${id}-name`}>{t('name')}</label>
            <Input id={`${id}-name`} value={name} maxLength={64} onChange={event => setName(event.target.value)} />
            <Complaint path="name" />
          </div>
          <Steps actions={actions} path="actions" inScene onChange={setActions} />
        </div>
      </ProblemsProvider>
      {guard.dialog}
    </Drawer>
  )
}
