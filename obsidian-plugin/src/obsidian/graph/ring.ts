import { NodeCircleProgram } from "sigma/rendering";
import type { EdgeData, NodeData } from "./drawn-graph";

/** As sigma's own for discs, with a hole in it; who points at the hole points at the ring. */
const FRAGMENT = `
precision highp float;
varying vec4 v_color;
varying vec2 v_diffVector;
varying float v_radius;
uniform float u_correctionRatio;
const vec4 transparent = vec4(0.0, 0.0, 0.0, 0.0);
void main(void) {
  float border = u_correctionRatio * 2.0;
  float dist = length(v_diffVector);
  float outside = smoothstep(v_radius - border, v_radius, dist);
  #ifdef PICKING_MODE
  gl_FragColor = dist > v_radius ? transparent : v_color;
  #else
  float hole = 1.0 - smoothstep(v_radius * 0.55, v_radius * 0.55 + border, dist);
  gl_FragColor = mix(v_color, transparent, max(outside, hole));
  #endif
}
`;

/** Draws a node as a ring: a name that no note has. */
export class RingProgram extends NodeCircleProgram<NodeData, EdgeData> {
	override getDefinition(): ReturnType<NodeCircleProgram["getDefinition"]> {
		return { ...super.getDefinition(), FRAGMENT_SHADER_SOURCE: FRAGMENT };
	}
}
