% -- The kernel's head. `counted`: it is told how many rows there are. `exchange`: what its workspace has, if any.
% local bounds = resident > 0 and ("%d, %d"):format(threads, resident // threads) or threads
% local parameters = (exchange ~= "" and (", %s *workspace"):format(exchange) or "")
%                    .. (counted and ", long long M" or "") .. (problem.scale ~= "none" and ", float scale" or "")
extern "C" __global__ void __launch_bounds__(${bounds})
${kernel}(const ${x_type} *x, ${y_type} *y${parameters})
