% -- ${level}_${op}: the maximum or sum over a row's threads, known to every one of them afterwards.
% -- level: "block"; "warp" for warps whose results are brought together elsewhere; "group" for `lanes` neighbours.
% local identity = op == "max" and "-__int_as_float(0x7f800000)" or "0.0f"
% local function both(a, b)
%   return op == "max" and ("fmaxf(%s, %s)"):format(a, b) or ("%s + %s"):format(a, b)
% end
% local warps = threads // 32
% if level == "group" then
static __device__ float group_${op}(float value)
{
    for (int lanes = ${lanes // 2}; lanes > 0; lanes >>= 1)
        value = ${both("value", "__shfl_xor_sync(0xffffffff, value, lanes)")};
    return value;
}
% elseif reduction == "tree" then
static __device__ float block_${op}(float value)
{
    __shared__ float partial[${threads}];
    int t = threadIdx.x;
    partial[t] = value;
    __syncthreads();
    for (int s = ${threads // 2}; s > 0; s >>= 1) {
        if (t < s)
            partial[t] = ${both("partial[t]", "partial[t + s]")};
        __syncthreads();
    }
    return partial[0];
}
% elseif reduction == "shuffle" then
// Lane 0 has the result.
static __device__ float warp_${op}(float value)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        value = ${both("value", "__shfl_down_sync(0xffffffff, value, offset)")};
    return value;
}

static __device__ float block_${op}(float value)
{
%   if warps == 1 then
    return __shfl_sync(0xffffffff, warp_${op}(value), 0);
%   else
    __shared__ float of_warp[${warps}];
    __shared__ float result;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = warp_${op}(value);
    if (lane == 0)
        of_warp[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = warp_${op}(lane < ${warps} ? of_warp[lane] : ${identity});
        if (lane == 0)
            result = value;
    }
    __syncthreads();
    return result;
%   end
}
% elseif reduction == "butterfly" then
// Every lane has the result.
static __device__ float warp_${op}(float value)
{
    for (int lanes = 16; lanes > 0; lanes >>= 1)
        value = ${both("value", "__shfl_xor_sync(0xffffffff, value, lanes)")};
    return value;
}

%   if level == "block" then
// Every warp finishes by itself: one barrier.
static __device__ float block_${op}(float value)
{
    __shared__ float of_warp[${warps}];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = warp_${op}(value);
    if (lane == 0)
        of_warp[warp] = value;
    __syncthreads();
    return warp_${op}(lane < ${warps} ? of_warp[lane] : ${identity});
}
%   end
% end

