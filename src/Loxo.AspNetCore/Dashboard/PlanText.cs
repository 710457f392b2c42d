using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Loxo.Dashboard;

/// <summary>A plan as text like that of psql, with <c>?</c> for each literal: the literals of a statement are its values.</summary>
internal static class PlanText
{
    private static readonly HashSet<string> _inHead =
    [
        "Node Type", "Strategy", "Partial Mode", "Operation", "Join Type", "Parallel Aware", "Async Capable", "Parent Relationship",
        "Subplan Name", "Schema", "Relation Name", "Function Name", "CTE Name", "Alias", "Index Name", "Scan Direction",
        "Startup Cost", "Total Cost", "Plan Rows", "Plan Width", "Plans", "Disabled",
    ];

    /// <summary>The text of what EXPLAIN (FORMAT JSON) returns.</summary>
    public static string Of(JsonElement plans)
    {
        var text = new StringBuilder();
        foreach (var one in plans.EnumerateArray())
        {
            if (one.ValueKind == JsonValueKind.Object && one.TryGetProperty("Plan", out var plan))
                Write(text, plan, 0);
        }
        return text.ToString().TrimEnd();
    }

    private static void Write(StringBuilder text, JsonElement node, int depth)
    {
        var indent = new string(' ', depth == 0 ? 0 : (6 * depth) - 4);
        if (Of(node, "Subplan Name") is { } subplan)
            text.Append(indent).AppendLine(subplan);
        text.Append(indent).Append(depth == 0 ? "" : "->  ").Append(HeadOf(node)).Append(CostOf(node)).AppendLine();
        var inner = new string(' ', (6 * depth) + 2);
        foreach (var property in node.EnumerateObject())
        {
            if (!_inHead.Contains(property.Name))
                text.Append(inner).Append(property.Name).Append(": ").AppendLine(ValueOf(property.Value));
        }
        if (!node.TryGetProperty("Plans", out var children))
            return;
        foreach (var child in children.EnumerateArray())
            Write(text, child, depth + 1);
    }

    private static string HeadOf(JsonElement node)
    {
        var head = new StringBuilder();
        var type = Of(node, "Node Type") ?? "";
        if (Of(node, "Operation") is { } operation && type == "ModifyTable")
            type = operation;
        if (Of(node, "Strategy") is "Hashed" && type == "Aggregate")
            type = "HashAggregate";
        head.Append(type);
        if (Of(node, "Join Type") is { } join and not "Inner")
            head.Append(' ').Append(join);
        if (Of(node, "Scan Direction") is "Backward")
            head.Append(" Backward");
        if (Of(node, "Index Name") is { } index)
            head.Append(type.StartsWith("Bitmap", StringComparison.Ordinal) ? " on " : " using ").Append(index);
        var relation = Of(node, "Relation Name") ?? Of(node, "Function Name") ?? Of(node, "CTE Name");
        if (relation is not null)
            head.Append(" on ").Append(relation);
        if (Of(node, "Alias") is { } alias && alias != relation)
            head.Append(relation is null ? " on " : " ").Append(alias);
        return head.ToString();
    }

    private static string CostOf(JsonElement node)
    {
        if (!node.TryGetProperty("Total Cost", out var total))
            return "";
        var (first, rows, width) = (Number(node, "Startup Cost"), Number(node, "Plan Rows"), Number(node, "Plan Width"));
        return string.Create(CultureInfo.InvariantCulture, $"  (cost={first:0.00}..{total.GetDouble():0.00} rows={rows} width={width})");
    }

    private static double Number(JsonElement node, string name) => node.TryGetProperty(name, out var value) ? value.GetDouble() : 0;

    private static string? Of(JsonElement node, string name) => node.TryGetProperty(name, out var value) ? value.GetString() : null;

    private static string ValueOf(JsonElement value) => value.ValueKind switch
    {
        JsonValueKind.Array => string.Join(", ", value.EnumerateArray().Select(ValueOf)),
        JsonValueKind.String => WithoutLiterals(value.GetString()!),
        _ => value.GetRawText(),
    };

    /// <summary>An expression as the server writes it, with <c>?</c> for each literal.</summary>
    internal static string WithoutLiterals(string expression)
    {
        var text = new StringBuilder(expression.Length);
        for (var at = 0; at < expression.Length;)
        {
            var start = at;
            if (expression[at] is '\'')
            {
                var isEscaped = at > 0 && expression[at - 1] is 'E' && (at < 2 || !IsOfName(expression[at - 2]));
                at = EndOfQuoted(expression, at, isEscaped);
                if (isEscaped)
                    text.Length--;
                text.Append('?');
            }
            else if (expression[at] is '"')
            {
                at = EndOfQuoted(expression, at, isEscaped: false);
                text.Append(expression, start, at - start);
            }
            else if (IsOfName(expression[at]))
            {
                var isNumber = char.IsAsciiDigit(expression[start]);
                while (at < expression.Length && (IsOfName(expression[at]) || (isNumber && expression[at] is '.')))
                    at++;
                text.Append(isNumber ? "?" : expression[start..at]);
            }
            else
            {
                text.Append(expression[at++]);
            }
        }
        return text.ToString();
    }

    private static int EndOfQuoted(string text, int at, bool isEscaped)
    {
        var quote = text[at++];
        while (at < text.Length)
        {
            if (isEscaped && text[at] == '\\')
                at += 2;
            else if (text[at++] != quote)
                continue;
            else if (at < text.Length && text[at] == quote)
                at++;
            else
                return at;
        }
        return text.Length;
    }

    private static bool IsOfName(char character) => char.IsLetterOrDigit(character) || character is '_' or '$';
}
