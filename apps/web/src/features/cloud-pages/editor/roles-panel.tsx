import type { Scene, SceneRole } from '@thingwright/scene'
import { Button, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { ManySelect, OneDevice } from './device-select.tsx'
import css from './editor.module.css'
import { Field } from './field.tsx'
import type { EditorStore } from './store.ts'

function freshKey(scene: Scene): string {
  const taken = new Set(scene.roles.map(({ key }) => key))
  for (let n = 1; ; n++) if (!taken.has(`device${n}`)) return `device${n}`
}

/** Renames a role wherever something is bound to it. */
function renamed(scene: Scene, from: string, to: string): Scene {
  const swap = <T extends object>(value: T): T =>
    'role' in value && value.role === from ? { ...value, role: to } : value
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_.])${from}(?=\\s*\\.)`, 'gu')
  const text = (value: string) => value.replace(pattern, to)
  const source = (value: Scene['nodes'][number]['bind'][number]['source']) =>
    value.from === 'expression' ? { ...value, text: text(value.text) } : swap(value)
  return {
    ...scene,
    roles: scene.roles.map(role => (role.key === from ? { ...role, key: to } : role)),
    nodes: scene.nodes.map(node => ({
      ...node,
      bind: node.bind.map(each => ({ ...each, source: source(each.source) })),
      effects: node.effects.map(each => ({ ...each, source: source(each.source) })),
      events: node.events.map(swap),
    })),
  }
}

/** What plays on the page: roles, each with its device and those that a visitor may choose instead. */
export function RolesPanel({ store, mayWrite }: { store: EditorStore; mayWrite: boolean }) {
  const { t } = useTranslation('cloud-pages')
  const scene = store(state => state.scene)
  const { change } = store.getState()
  const set = (key: string, over: Partial<SceneRole>) =>
    change({ ...scene, roles: scene.roles.map(role => (role.key === key ? { ...role, ...over } : role)) })
  return (
    <section className={css.section}>
      <h3>
        {t('roles_')}
        {mayWrite && (
          <Button
            size="small"
            type="link"
            onClick={() =>
              change({
                ...scene,
                roles: [
                  ...scene.roles,
                  { key: freshKey(scene), name: '', productId: null, deviceId: null, choices: [] },
                ],
              })
            }
          >
            {t('addRole')}
          </Button>
        )}
      </h3>
      <p className={css.note}>{t('rolesHelp')}</p>
      {scene.roles.map((role, i) => (
        // Its key can be changed while it is typed.
        <div className={css.item} key={`role-${i}`}>
          <div className={css.fields}>
            <Field label={t('roleName')}>
              <Input
                size="small"
                value={role.name}
                maxLength={64}
                disabled={!mayWrite}
                onChange={event => set(role.key, { name: event.target.value })}
              />
            </Field>
            <Field label={t('roleKey')}>
              <Input
                key={role.key}
                size="small"
                defaultValue={role.key}
                maxLength={32}
                disabled={!mayWrite}
                onBlur={event => {
                  const to = event.target.value.trim()
                  if (
                    to !== role.key &&
                    /^[\p{L}_][\p{L}\p{N}_]{0,31}$/u.test(to) &&
                    !scene.roles.some(each => each.key === to)
                  )
                    change(renamed(scene, role.key, to))
                  else event.target.value = role.key
                }}
              />
            </Field>
          </div>
          <OneDevice
            value={role.deviceId}
            disabled={!mayWrite}
            onChange={(deviceId, productId) => set(role.key, { deviceId, productId })}
          />
          <Field label={t('choices')}>
            <ManySelect
              kind="device"
              id={`choices-${i}`}
              value={role.choices}
              disabled={!mayWrite}
              placeholder={t('choicesHelp')}
              onChange={choices => set(role.key, { choices: choices.slice(0, 200) })}
            />
          </Field>
          {mayWrite && (
            <Button
              size="small"
              danger
              type="text"
              onClick={() => change({ ...scene, roles: scene.roles.filter(each => each.key !== role.key) })}
            >
              {t('removeRole')}
            </Button>
          )}
        </div>
      ))}
    </section>
  )
}
