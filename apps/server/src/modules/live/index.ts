export { createLiveHub, type LiveHub, type LivePatch } from './live.hub.ts'
export { createLiveSocket, type LiveCaller, type LiveSocketServer, type LiveTopicSource } from './live.socket.ts'
