import type { Scalar, Scene, SceneNode } from '@thingwright/scene'
import { createContext, useContext } from 'react'
import type { ValueStore } from './value-store.ts'

/** A point of a curve: time, average, least and largest value. */
export type SeriesPoint = readonly [ts: number, value: number, min: number, max: number]

export interface ShownAlarm {
  id: string
  level: number
  name: string
  device: string
  raisedAt: string
  acknowledged: boolean
}

export interface DeviceChoice {
  role: string
  name: string
  deviceId: string | null
  devices: readonly { id: string; name: string }[]
}

/** What a scene is shown with. */
export interface SceneSurroundings {
  scene: Scene
  store: ValueStore
  language: 'zh' | 'en'
  /** In the editor nothing can be worked. */
  editing: boolean
  /** Does what the element's events say. @param value what it was set to */
  happen(node: SceneNode, on: SceneNode['events'][number]['on'], value?: Scalar): void
  /** An element waits for its device. */
  busy(nodeId: string): boolean
  series(key: string, hours: number): Promise<readonly SeriesPoint[]>
  alarms(): Promise<readonly ShownAlarm[]>
  choices: readonly DeviceChoice[]
  chooseDevice(role: string, deviceId: string): void
}

const Context = createContext<SceneSurroundings | null>(null)
export const SceneProvider = Context.Provider

export function useScene(): SceneSurroundings {
  const found = useContext(Context)
  if (!found) throw new Error('a part of a scene stands outside of one')
  return found
}
