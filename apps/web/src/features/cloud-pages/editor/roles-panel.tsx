import type { SceneRole } from '@thingwright/scene'
import { Button, Input, Popconfirm } from 'antd'
import { useTranslation } from 'react-i18next'
import { ManySelect, OneDevice } from './device-select.tsx'
import css from './editor.module.css'
import { Field } from './field.tsx'
import { freeKey, renamedRole, usersOf, withoutRole } from './roles.ts'
import type { EditorStore } from './store.ts'

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
                  { key: freeKey(scene.roles, 'device1'), name: '', productId: null, deviceId: null, choices: [] },
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
                    change(renamedRole(scene, role.key, to))
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
            <RemoveRole users={usersOf(scene, role.key)} onRemove={() => change(withoutRole(scene, role.key))} />
          )}
        </div>
      ))}
    </section>
  )
}

/** Removes a role at once where nothing is bound to it, else after saying what goes with it. */
function RemoveRole({ users, onRemove }: { users: number; onRemove(): void }) {
  const { t } = useTranslation('cloud-pages')
  const button = (onClick?: () => void) => (
    <Button size="small" danger type="text" {...(onClick ? { onClick } : {})}>
      {t('removeRole')}
    </Button>
  )
  if (users === 0) return button(onRemove)
  return (
    <Popconfirm
      title={t('removeRoleTitle', { count: users })}
      description={t('removeRoleText')}
      okText={t('removeRole')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true }}
      onConfirm={onRemove}
    >
      {button()}
    </Popconfirm>
  )
}
