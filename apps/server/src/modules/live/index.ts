export { createLiveHub, type LiveHub, type LivePatch } from './live.hub.ts'
export {
  createLiveSocket,
  type LiveCaller,
  type LiveSocketServer,
  type LiveTopicSource,
  type LiveVisitors,
} from './live.socket.ts'
