// A client of another implementation of the protocol: it calls the tools of the server that the
// arguments start, and prints what it gets as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "node", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: { ...process.env, RESOLVENT_MCP_SERVE: "1" } }));
const { tools } = await client.listTools();
const status = await client.callTool({ name: "status", arguments: { detail: "data" } }); // it validates the result
const tried = await client.callTool({ name: "what_if", arguments: { fix: 1 } });
const wrong = await client.callTool({ name: "what_if", arguments: { fix: 99 } });
const { resources } = await client.listResources();
await client.close();
console.log(JSON.stringify({
  tools: tools.map((tool) => tool.name), schema: status.structuredContent.data.schema,
  tried: tried.content[0].text, wrong: wrong.isError, resources: resources.length,
}));
