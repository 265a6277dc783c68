% -- A warp hears `count` maxima and sums and brings them together; hear(index): the text that waits for one.
% local shares = -(-count // 32)                       -- that a lane hears
% if count == 32 then
float2 part = ${hear("lane")};
% elseif shares == 1 then
float2 part = make_float2(${row.lowest}, 0.0f);
if (lane < ${count})
    part = ${hear("lane")};
% end
% if shares == 1 then
float ${maximum_name} = warp_max(part.x);
float ${sum_name} = warp_sum(part.y * ${exponential("part.x", maximum_name)});
% else
float2 part[${shares}];
float lane_maximum = ${row.lowest};
#pragma unroll
for (int k = 0; k < ${shares}; k++) {
    % if count % 32 == 0 then
    part[k] = ${hear("lane + 32 * k")};
    % else
    part[k] = make_float2(${row.lowest}, 0.0f);
    if (lane + 32 * k < ${count})
        part[k] = ${hear("lane + 32 * k")};
    % end
    lane_maximum = fmaxf(lane_maximum, part[k].x);
}
float ${maximum_name} = warp_max(lane_maximum);
float lane_sum = 0.0f;
#pragma unroll
for (int k = 0; k < ${shares}; k++)
    lane_sum += part[k].y * ${exponential("part[k].x", maximum_name)};
float ${sum_name} = warp_sum(lane_sum);
% end
