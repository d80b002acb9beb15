import type { RoleView } from '@thingwright/contracts/roles.contract'
import { useTranslation } from 'react-i18next'
import type { CustomInput } from '../../../ui/schema-form/field.ts'
import { useRoleName } from '../hooks.ts'
import css from '../members.module.css'

/** Roles to be given, with what they are for. */
export function RolePicker({ roles, input }: { roles: readonly RoleView[]; input: CustomInput }) {
  const { t } = useTranslation('members')
  const nameOf = useRoleName()
  const chosen = new Set(Array.isArray(input.value) ? (input.value as string[]) : [])
  return (
    <fieldset className={css.choices} aria-label={t('roles')} id={input.id} onBlur={input.onBlur}>
      {roles.map(role => (
        <label key={role.id} className={css.choice}>
          <input
            type="checkbox"
            checked={chosen.has(role.id)}
            disabled={input.disabled}
            onChange={event => {
              const next = new Set(chosen)
              if (event.target.checked) next.add(role.id)
              else next.delete(role.id)
              input.onChange([...next])
            }}
          />
          <span>
            {nameOf(role)}
            {role.description && <small>{role.description}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
