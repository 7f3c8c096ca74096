import { NodeCircleProgram } from "sigma/rendering";
import type { Shape } from "../../core/graph/groups";
import type { EdgeData, NodeData } from "./drawn-graph";

/** How far out a point `p` of the unit circle is, from 0 in the middle to 1 at the edge of the shape; y grows upwards. */
const DISTANCES: Readonly<Record<Exclude<Shape, "circle">, string>> = {
	square: "max(abs(p.x), abs(p.y)) * 1.4142",
	diamond: "abs(p.x) + abs(p.y)",
	triangle: "max(-p.y, 0.866 * abs(p.x) + 0.5 * p.y) * 2.0",
	// Folded into a tenth of the star, from a tip to the next notch.
	star: "length(p) * dot(vec2(1.0, 2.4045), vec2(cos(a), sin(a)))",
};

/** As sigma's own for discs, with another distance. */
const fragment = (distance: string): string => `
precision highp float;
varying vec4 v_color;
varying vec2 v_diffVector;
varying float v_radius;
uniform float u_correctionRatio;
void main(void) {
  vec2 p = v_diffVector / v_radius;
  float a = abs(mod(atan(p.x, p.y) + 0.62832, 1.25664) - 0.62832);
  float d = ${distance};
  #ifdef PICKING_MODE
  gl_FragColor = d > 1.0 ? vec4(0.0) : v_color;
  #else
  gl_FragColor = mix(v_color, vec4(0.0), smoothstep(1.0 - 2.0 * u_correctionRatio / v_radius, 1.0, d));
  #endif
}
`;

function program(distance: string): typeof NodeCircleProgram<NodeData, EdgeData> {
	return class extends NodeCircleProgram<NodeData, EdgeData> {
		override getDefinition(): ReturnType<NodeCircleProgram["getDefinition"]> {
			return { ...super.getDefinition(), FRAGMENT_SHADER_SOURCE: fragment(distance) };
		}
	};
}

/** Draw nodes in shapes other than discs. */
export const SHAPE_PROGRAMS = {
	square: program(DISTANCES.square),
	diamond: program(DISTANCES.diamond),
	triangle: program(DISTANCES.triangle),
	star: program(DISTANCES.star),
};

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
